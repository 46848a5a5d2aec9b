"""The elements by which the files of JMS brokers include other files: XInclude's ``include`` and Spring's ``import``.

Sources: ``XMLUtil.readerToElement`` and ``XmlProvider`` of Artemis, which processes XInclude unless the property
``artemis.disableXxe`` is set; ``XBeanBrokerFactory`` of ActiveMQ, whose file Spring reads.
"""

from __future__ import annotations

from transpiler.base.documents.xml_elements import Element
from transpiler.base.documents.xml_includes import Inclusion
from transpiler.base.errors import TopologyError

#: The files of ActiveMQ's console. They come with the broker and contain nothing that affects routing.
_CONSOLE = frozenset({"jetty.xml", "jetty-spring.xml"})


def inclusion_of(element: Element) -> Inclusion | None:
    """Return what ``element`` includes; None if it includes no file."""
    # Artemis' federation also has elements with the name ``include``, which do not include a file.
    if element.name == "include" and "href" in element.attributes:
        is_part = element.attributes.get("parse", "xml") != "xml" or "xpointer" in element.attributes
        return _inclusion(element, "href", "only whole XML files are included" if is_part else "")
    if element.name == "import" and "resource" in element.attributes:
        return _inclusion(element, "resource", "it is the broker's console" if is_of_console(element) else "")
    return None


def is_of_console(element: Element) -> bool:
    """Return True if ``element`` imports a file of ActiveMQ's console."""
    return element.attributes["resource"].replace(":", "/").rpartition("/")[2] in _CONSOLE


def _inclusion(element: Element, attribute: str, why_not: str) -> Inclusion:
    is_root = attribute == "href"
    try:
        return Inclusion(element.get(attribute) or "", is_root, why_not)
    except TopologyError as error:
        return Inclusion(element.attributes[attribute], is_root, why_not or error.diagnostics[0].message)
