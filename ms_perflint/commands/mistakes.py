"""Errors of command lines, as translated messages; the remaining ones of click are English."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

INTERRUPTED = 130  # the exit code after Ctrl-C


class UsageError(Exception):
    """The reason why a command line is invalid, or cannot be run."""


def reason(error: click.ClickException) -> str:
    """Return the reason why a command line is invalid, or cannot be run."""
    import click  # here, because most runs need none
    from click.core import ParameterSource

    from ms_perflint.core.slips import suggestion
    from ms_perflint.languages import Message

    if isinstance(error, click.NoSuchOption):
        params = _context(error).command.params
        known = [name for each in params for name in (*each.opts, *each.secondary_opts) if name.startswith("--")]
        hint = suggestion(error.option_name, known)
        return Message("No such option: {option}{hint}", option=error.option_name, hint=hint)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return Message("Missing argument {name}.", name=error.param.get_error_hint(_context(error)))
    if isinstance(error, click.BadParameter) and error.param is not None:
        context, param = _context(error), error.param
        is_from_environment = context.get_parameter_source(param.name or "") is ParameterSource.ENVIRONMENT
        option = str(param.envvar) if is_from_environment else param.get_error_hint(context)
        return Message("Invalid value for {option}: {reason}", option=option, reason=error.message)
    return error.format_message() if type(error) is not click.UsageError else error.message


def _context(error: click.UsageError) -> click.Context:
    import click

    return error.ctx or click.get_current_context()
