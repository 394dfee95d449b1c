"""All commands and options, as click reads and explains them. Nothing is decided here.

LibCST and the engine are imported by the commands that need them, so `--help` and `rule` answer at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ms_perflint.cache.cache import NO_CACHE
from ms_perflint.commands import completion, parameters
from ms_perflint.commands.asked import EXECUTORS, PROCESSES, Options, with_files
from ms_perflint.commands.help import LANGUAGE, Group, Told, asked, write_options
from ms_perflint.commands.mistakes import INTERRUPTED, UsageError, reason
from ms_perflint.commands.outputs import Output
from ms_perflint.config.formats import FORMATS
from ms_perflint.core.findings import SIZES
from ms_perflint.core.slips import suggestion
from ms_perflint.languages import Message, chosen, say
from ms_perflint.report import SORTS
from ms_perflint.report.style import COLOURS
from ms_perflint.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

OWN_OPTIONS = ("--help", "--version")  # beside those of `check`
ARGUMENTS = "ms_perflint.arguments"  # of the program that is judged, in the context


class Front(Group):
    """The commands; `check` may be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `check` before arguments that name no command."""
        args = with_files(args)
        ctx.meta[LANGUAGE] = asked(args)
        if args and args[0] not in self.commands and args[0] not in ("-h", *OWN_OPTIONS):
            if not ctx.resilient_parsing:  # as for the completion of a shell
                self._refuse_slip(args[0])
            args = ["check", *args]
        elif args and args[0] not in self.commands:
            args = args[:1]  # the answer depends on nothing else, but for `--lang`
        elif not args and not ctx.resilient_parsing:
            args = ["check"]
        if "--" in args and args[0] in ("check", "program", "explain"):
            end = args.index("--")
            ctx.meta[ARGUMENTS] = tuple(args[end + 1 :])
            args = args[:end]
        # with a space in between, a path would be taken for the reason
        args = ["--add-noqa=" if arg == "--add-noqa" else arg for arg in args]
        return super().parse_args(ctx, args)

    def _refuse_slip(self, word: str) -> None:
        """Raise UsageError where the first word is neither a path that is there nor like one, or nearly `--version`."""
        known = {name for each in check.params for name in each.opts}
        if word.startswith("--") and word not in known and suggestion(word, OWN_OPTIONS):
            hint = suggestion(word, {*OWN_OPTIONS, *known})
            raise UsageError(Message("No such option: {option}{hint}", option=word, hint=hint))
        if word.isalpha() and not os.path.exists(word):
            if hint := suggestion(word, self.commands):
                raise UsageError(Message('no such command "{word}"{hint}', word=word, hint=hint))
            raise UsageError(Message('no such command or file "{word}"', word=word))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer what `check` takes too: its options, and files where no command begins like this."""
        more = check.shell_complete(ctx, incomplete) if incomplete.startswith("-") else []
        return [*completion.file(ctx, check.params[0], incomplete), *super().shell_complete(ctx, incomplete), *more]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the options of `check` too, as it may be left out."""
        super().format_options(ctx, formatter)
        write_options(Message("Options of check"), check.params[1:], ctx, formatter)


@click.group(
    cls=Front,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    options_metavar="[check] [OPTIONS]",
    subcommand_metavar="[PATH]... [-- ARGUMENTS OF THE PROGRAM]",
)
@click.version_option(__version__, prog_name="ms-perflint", message="%(prog)s %(version)s")
def front() -> None:
    """A static linter for MindSpore training scripts: find slow code, explain it, fix it."""


@front.command()
@click.argument("paths", nargs=-1, metavar="[PATH]... [-- ARGUMENTS OF THE PROGRAM]", shell_complete=completion.file)
@click.option("--fix", is_flag=True, help="Apply the safe fixes; on a terminal, ask about each unsafe one.")
@click.option("--fix-only", is_flag=True, help="Apply fixes, and do not report what is left.")
@click.option(
    "--unsafe-fixes/--no-unsafe-fixes",
    default=None,
    help="Also apply unsafe fixes: the code stays correct, but numerics, behaviour or peak memory may change.",
)
@click.option("--no-interactive", is_flag=True, help="Never ask about unsafe fixes.")
@click.option("--diff", is_flag=True, help="Show what fixes would change, and write nothing.")
@click.option(
    "--add-noqa",
    metavar="[=REASON]",
    callback=parameters.noqa_reason,
    help="Write a `# noqa` for each finding, with a reason.",
)
@parameters.rules(
    "--select",
    "Rules to enable: codes, prefixes, names, ALL; comma-separated. Preview rules need their full code.",
)
@parameters.rules("--ignore", "Rules to disable.")
@parameters.rules("--extend-ignore", "The same as --ignore.")
@parameters.rules("--extend-select", "Rules to enable besides those selected.")
@parameters.rules("--fixable", "Rules whose fixes may be applied; other fixes are shown.")
@parameters.rules("--unfixable", "Rules whose fixes are shown and not applied.")
@click.option(
    "--min-gain",
    type=click.Choice(SIZES[::-1]),
    default=SIZES[-1],
    help="Enable only rules with at least this gain: small (all), medium or large.",
)
@click.option("--ignore-noqa", is_flag=True, help="Report also what comments suppress.")
@parameters.patterns("--exclude", "Patterns of files to exclude, in place of `exclude` of the configuration.")
@parameters.patterns("--extend-exclude", "Patterns of more files to exclude.")
@parameters.ignores(
    "--per-file-ignores", "Rules to disable in some files, like tests/*:MSP301; with ! in front, in all other files."
)
@parameters.ignores("--extend-per-file-ignores", "The same, in addition to the configuration.")
@click.option("--since", metavar="REV", help="Report only what is worse than at the merge base with a git revision.")
@click.option("--staged", is_flag=True, help="With --since: compare what is staged, not the work tree.")
@click.option(
    "--baseline",
    metavar="FILE",
    shell_complete=completion.file,
    help="Do not report the findings that this file lists.",
)
@click.option("--no-baseline", is_flag=True, help="Report also what the baseline lists.")
@click.option(
    "--write-baseline", is_flag=True, help="Write the baseline; from an existing one, findings are only removed."
)
@click.option("--extend-baseline", is_flag=True, help="Write the baseline, and add new findings to it.")
@parameters.target
@parameters.config_file
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@click.option(
    "--output-format",
    multiple=True,
    metavar="FORMAT[=FILE]",
    callback=parameters.outputs,
    shell_complete=parameters.formats,
    cls=Told,
    help=Message("The format of the report; may be repeated: {formats}.", formats=", ".join(FORMATS)),
)
@click.option(
    "-o",
    "--output-file",
    metavar="FILE",
    shell_complete=completion.file,
    help="Write the report that has no `=FILE` to this file.",
)
@click.option(
    "--sort",
    type=click.Choice(SORTS),
    default=SORTS[0],
    help="The order in text, concise and json: by place, or by gain, largest first.",
)
@click.option("--color", type=click.Choice(COLOURS), default=COLOURS[0], help="Whether to print in colour.")
@click.option("--statistics", is_flag=True, help="Print the number of findings of each rule in place of the findings.")
@click.option("-v", "--verbose", is_flag=True, help="Print what was skipped and why, and how long each stage took.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings and errors only.")
@click.option("--strict", is_flag=True, help="Exit with 1 also if a program could be judged only in part.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if findings, or files that do not parse, are left.")
@click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if a fix was applied.")
@click.option(
    "-j", "--jobs", type=click.IntRange(min=1), help="Number of processes; by default the number of processors."
)
@click.option(
    "--executor",
    type=click.Choice(EXECUTORS),
    default=PROCESSES,
    help="Where files are linted: in processes of this machine, or by the workers of a Dask scheduler.",
)
@click.option("--scheduler", metavar="ADDRESS", help="The Dask scheduler, like tcp://10.0.0.1:8786.")
@click.option("-n", "--no-cache", is_flag=True, envvar=NO_CACHE, help="Neither read nor write the cache.")
@parameters.cache_directory
@click.option(
    "--stdin-filename", metavar="FILE", help="The file name for the text that `-` reads from the standard input."
)
@click.option(
    "--profile",
    metavar="DIR",
    shell_complete=completion.directory,
    help="Join the findings with a profile; DIR is the directory that MindSpore's profiler wrote.",
)
@click.option(
    "--ir",
    metavar="DIR",
    shell_complete=completion.directory,
    help="The graphs saved in the profiled run (MS_DEV_SAVE_GRAPHS=1), for the line of each kernel.",
)
@click.option("--watch", is_flag=True, help="Lint again whenever a file of the project changes.")
@click.option("--force-exclude", is_flag=True, help="Apply the excludes also to files that are given by name.")
@click.option("--show-files", "view", flag_value="files", help="Print the files that would be linted, and exit.")
@click.option("--show-settings", "view", flag_value="settings", help="Print all settings with their origin, and exit.")
@parameters.language
def check(paths: tuple[str, ...], view: str | None, **options: Any) -> int:
    """Lint files and directories, by default the current one; `-` is the standard input.

    Words after `--` are the arguments of the program: only that run is checked.
    """
    from ms_perflint.commands.run import run

    paths, asked = _with_arguments(paths, options)
    if view:
        from ms_perflint.commands import show

        return (show.show_files if view == "files" else show.show_settings)(paths, asked)
    return run(paths, asked)


def _with_arguments(paths: tuple[str, ...], options: dict[str, Any]) -> tuple[tuple[str, ...], Options]:
    """Return the paths, and what was asked for with the arguments of the program; without a path, these are paths.

    Without those either, it is the working directory.
    """
    words: tuple[str, ...] | None = click.get_current_context().meta.get(ARGUMENTS)
    return (paths, Options(**options, arguments=words)) if paths else (words or (".",), Options(**options))


@front.command()
@click.argument("code", required=False, shell_complete=completion.rule)
@click.option("--all", "everything", is_flag=True, help="Print the pages of all rules.")
@click.option("--full", is_flag=True, help="Print the whole page: evidence, exceptions, options and references too.")
@parameters.output_format("text", "markdown", "json")
@parameters.language
def rule(code: str | None, everything: bool, full: bool, output_format: str, lang: str | None) -> None:
    """Explain a rule in short, or its whole page with --full; without CODE, list the rules."""
    from ms_perflint.commands.explain import explain
    from ms_perflint.pages import PageError

    try:
        explain(code, everything, full, output_format, chosen(lang))
    except PageError as error:
        raise click.ClickException(error.args[0]) from error


@front.command()
@click.argument("path", metavar="PATH", shell_complete=completion.file)
@parameters.target
@parameters.config_file
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("-v", "--verbose", is_flag=True, help="List all files, and all evidence of each fact.")
@parameters.language
def program(path: str, output_format: str, verbose: bool, **options: Any) -> int:
    """Print the facts that were read in a training program, with their evidence.

    They say why a finding is, or is not, reported. PATH is the entry script, a module of the program, or a directory of
    programs. Words after `--` are the arguments of the script: only that run is checked.
    """
    from ms_perflint.commands.describe import Asked, describe
    from ms_perflint.commands.settings import settings

    words = click.get_current_context().meta.get(ARGUMENTS)
    configs = settings([path], Options(**options, arguments=words))
    return describe(path, configs, Asked(output_format, verbose), chosen(options["lang"], configs.run.lang))


@front.command()
@click.argument("place", metavar="FILE:LINE [-- ARGUMENTS OF THE PROGRAM]")
@parameters.rules("--select", "Rules to explain: codes, prefixes, names, ALL; comma-separated.")
@parameters.target
@parameters.config_file
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@parameters.output_format("text", "json")
@parameters.language
def explain(place: str, output_format: str, **options: Any) -> int:
    """Say why rules report something on a line, or nothing: what they asked, and what decided.

    Where a rule reports nothing, the line of its code that decided is shown. Of a notebook, write
    FILE:cell NUMBER:LINE, as reports do.
    """
    from ms_perflint.commands.explain_line import explain_line, file_of
    from ms_perflint.commands.settings import settings

    words = click.get_current_context().meta.get(ARGUMENTS)
    configs = settings([file_of(place)], Options(**options, arguments=words))
    return explain_line(place, configs, output_format, chosen(options["lang"], configs.run.lang))


@front.command("profile", context_settings={"allow_extra_args": True})
@click.option("--how", is_flag=True, help="Print the code that collects a profile: it does so without this option too.")
@click.option("--mindspore-version", metavar="VERSION", help="The MindSpore version that the code is for, like 2.4.")
@click.pass_context
def profile_command(context: click.Context, how: bool, mindspore_version: str | None) -> None:
    """Print how to collect a profile for `check --profile DIR`."""
    if context.args:
        from ms_perflint.report.sources import argument

        folder = argument(context.args[0])
        raise UsageError(Message("to read a profile: `ms-perflint --profile {folder} train.py`", folder=folder))
    from ms_perflint.commands.settings import settings
    from ms_perflint.mindspore_api import newest
    from ms_perflint.profile.how import snippet

    given = settings(["."], Options(mindspore_version=mindspore_version, isolated=True)).run.mindspore_version
    click.echo(snippet(given or newest()), nl=False)


@front.command()
@click.argument("script", metavar="SCRIPT", shell_complete=completion.file)
@click.argument("arguments", nargs=-1, metavar="[-- ARGUMENTS OF THE PROGRAM]")
@click.option("--steps", type=click.IntRange(min=3), default=20, show_default=True, help="Training steps of each run.")
@click.option("--rounds", type=click.IntRange(min=2), default=3, show_default=True, help="Runs of each variant.")
@click.option("--each", is_flag=True, help="Measure also the fixes of each rule alone.")
@parameters.rules("--select", "Rules whose fixes are measured: codes, prefixes, names, ALL; comma-separated.")
@parameters.rules("--ignore", "Rules whose fixes are not measured.")
@click.option(
    "--launch",
    default="",
    metavar="COMMAND",
    help='The launcher: a shell script, or words like "msrun --worker_num=2".',
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="The time limit of one run.",
)
@click.option(
    "--python",
    metavar="PATH",
    default=sys.executable,
    shell_complete=completion.file,
    help="The interpreter that has MindSpore; by default the one that runs ms-perflint.",
)
@parameters.target
@parameters.config_file
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@parameters.output_format("text", "json", "html")
@click.option("-o", "--output-file", metavar="FILE", shell_complete=completion.file, help="Write the report to a file.")
@click.option("-q", "--quiet", is_flag=True, help="Print no progress.")
@parameters.language
def verify(script: str, arguments: tuple[str, ...], **options: Any) -> int:
    """Run a program unchanged and with its fixes, and measure the difference.

    The program runs on this machine, in a copy of the project, several times, and is ended after --steps steps.
    """
    from ms_perflint.commands.settings import settings
    from ms_perflint.commands.verify import Asked, verify

    linted = ("select", "ignore", "device", "mindspore_version", "config", "isolated", "lang")
    given = Options(**{name: options[name] for name in linted}, arguments=arguments or None)
    config = settings([script], given).of(os.path.abspath(script))
    output = Output(options["output_format"], options["output_file"])
    asked = Asked(
        options["steps"],
        options["rounds"],
        options["each"],
        options["launch"],
        options["timeout"],
        options["python"],
        arguments,
        output,
        options["quiet"],
    )
    return verify(script, config, asked, chosen(options["lang"], config.lang))


@front.command()
@click.argument("option", required=False, shell_complete=completion.option)
@parameters.output_format("text", "json")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of [tool.ms-perflint].")
def config(option: str | None, output_format: str, schema: bool) -> None:
    """Explain an option of [tool.ms-perflint]; without OPTION, list the options."""
    from ms_perflint.commands import show

    if schema:
        show.show_schema()
    else:
        show.show_option(option, output_format)


@front.command("completion")
@click.argument("shell", type=click.Choice(completion.SHELLS))
def completion_script(shell: str) -> None:
    """Print the script that completes commands, options and rules in a shell."""
    click.echo(completion.script(shell, front))


@front.command()
@click.option("--stdio", is_flag=True, hidden=True, help="Speak over stdin and stdout: it knows no other way.")
def server(stdio: bool) -> int:
    """Start the language server: findings, fixes and rule pages in an editor.

    The editor starts it. It speaks the Language Server Protocol over stdin and stdout.
    """
    from ms_perflint.server import MissingExtra, serve

    try:
        return serve()
    except MissingExtra as error:
        raise click.ClickException(error.args[0]) from error


@front.command()
@parameters.cache_directory
@parameters.language
def clean(cache_dir: str | None, lang: str | None) -> None:
    """Remove all caches."""
    from ms_perflint.cache import cache

    directory = cache_dir or cache.default_directory()
    removed = cache.clean(directory)
    message = Message("Removed {number} caches from {directory}.", number=removed, directory=directory)
    if removed == 1:
        message = Message("Removed 1 cache from {directory}.", directory=directory)
    click.echo(say(message, chosen(lang)))


def answer(arguments: Sequence[str] | None) -> int:
    """Return the exit code of a command line; None is that of the process. Raises Mistake for one that is wrong."""
    try:
        words = None if arguments is None else list(arguments)
        return front.main(args=words, prog_name="ms-perflint", standalone_mode=False) or 0
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        raise UsageError(reason(error)) from error
