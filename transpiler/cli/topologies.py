"""Options and files that the commands about topologies share."""

from __future__ import annotations

import click

from transpiler import Topology
from transpiler.cli.completion import complete_vhosts
from transpiler.cli.group import fail
from transpiler.cli.inputs import InputFile, read_text_file
from transpiler.cli.options import together
from transpiler.topology.files import FORMS, Form, parse_topology

#: The keys of the context under which the options of a JMS broker's file are kept.
_STATE, _PROPERTIES = f"{__name__}.state", f"{__name__}.properties"


def _keep_state(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.meta[_STATE] = value


def _keep_properties(context: click.Context, _: click.Parameter, values: tuple[str, ...]) -> None:
    properties: dict[str, str] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not name or not equals:
            fail(f"--property {value}: write a name, = and the value")
        properties[name] = text
    context.meta[_PROPERTIES] = properties


#: The options that say what the file of a JMS broker does not; ``read_topology_text`` finds them.
state_options = together(
    click.option(
        "--state",
        metavar="FILE",
        type=InputFile(),
        expose_value=False,
        callback=_keep_state,
        help="JSON with the queues, subscriptions and consumers of a JMS broker.",
    ),
    click.option(
        "--property",
        metavar="NAME=VALUE",
        multiple=True,
        expose_value=False,
        callback=_keep_properties,
        help="The value of a ${NAME} in the XML of a JMS broker; more than once.",
    ),
)

#: The options that say how to read a topology's file.
topology_options = together(
    click.option("--form", type=click.Choice(FORMS), help="What the topology's file is  [default: as it shows]"),
    click.option("--vhost", shell_complete=complete_vhosts, help="The virtual host, where the file has several."),
    state_options,
)


def read_topology_file(name: str, form: Form | None, vhost: str | None) -> Topology:
    """The topology in a file; - is standard input, whose text shows whether it is YAML."""
    return read_topology_text(read_text_file(name), "standard input" if name == "-" else name, form, vhost)


def read_topology_text(text: str, name: str, form: Form | None, vhost: str | None) -> Topology:
    """The topology in a text, with the state and the properties that the command has for it."""
    given = click.get_current_context().meta
    return parse_topology(
        text,
        name,
        form=form,
        vhost=vhost,
        state=given.get(_STATE),
        properties=given.get(_PROPERTIES),
    )
