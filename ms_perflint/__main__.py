"""`python -m ms_perflint` is `ms-perflint`."""

from ms_perflint.cli import main

main()
