"""Where the parts of a run are worked on: processes of this machine, a Dask cluster; and the memory of one process."""
