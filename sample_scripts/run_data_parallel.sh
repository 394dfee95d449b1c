msrun --worker_num=2 --local_worker_num=2 --master_port="${PORT:-8118}" --join=True --log_dir=msrun_log data_parallel.py "$@"
