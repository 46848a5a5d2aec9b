"""Each location in which projects keep selectors is read, or reported as unread."""

from __future__ import annotations

import pytest

from transpiler.base.source import Span
from transpiler.tools.lint.embedded import FoundSelector, find_selectors
from transpiler.tools.lint.report import Lines

_ARTEMIS = "urn:jboss:domain:messaging-activemq:15.0"

#: A file's name and text, and its selectors: ``artemis: S`` if the location determines the dialect, or the line of a
#: selector that cannot be read.
CASES: tuple[tuple[str, str, list[str | int]], ...] = (
    # The API of Jakarta Messaging.
    ("A.java", 'session.createConsumer(queue, "S");', ["S"]),
    ("A.java", 'JMSContext c; c.createConsumer(q, "S", true);', ["S"]),
    ("A.java", "String S = null; c.setMessageSelector(S); c.setMessageSelector(new SimpleString((null)));", []),
    ("A.java", "session.createConsumer(queue, true); session.createConsumer(q, null); session.createConsumer(q);", []),
    ("A.java", 'kafka.createConsumer("topic", "group");', []),
    ("A.java", 'session.createDurableSubscriber(topic, "name", "S", false);', ["S"]),
    ("A.java", 'session.createDurableSubscriber(topic, "name");', []),
    ("A.java", 'context.createDurableConsumer(topic, "name", "S", false);', ["S"]),
    ("A.java", 'context.createSharedConsumer(topic, "name", "S");', ["S"]),
    ("A.java", 'context.createSharedDurableConsumer(topic, "name", "S");', ["S"]),
    ("A.java", 'session.createBrowser(queue, "S");', ["S"]),
    ("A.java", 'jms.receiveSelected("queue", "S"); jms.receiveSelectedAndConvert("S");', ["S", "S"]),
    ("A.java", 'jms.browseSelected("queue", "S", action); jms.browseSelected("S", this::x);', ["S", "S"]),
    ("A.java", 'container.setMessageSelector("S"); Jms.inboundAdapter(f).messageSelector("S")', ["S", "S"]),
    ("A.java", '@JmsListener(destination = "q", selector = "S") void x() {}', ["S"]),
    ("A.java", '@JMSConnectionFactory("x") @Other(selector = "S") void x() {}', []),
    ("A.java", 'import org.apache.activemq.artemis.api.core.*; s.createConsumer("q", "S");', ["artemis-core: S"]),
    (
        "A.java",
        'import jakarta.jms.*; import org.apache.activemq.artemis.api.core.*; s.createConsumer("q", "S");',
        ["artemis: S"],
    ),
    ("A.java", 's.createConsumer(new SimpleString("q"), new SimpleString("S")); ClientSession s;', ["artemis-core: S"]),
    ("A.java", "void setMessageSelector(String messageSelector) { this.messageSelector = messageSelector; }", []),
    ("A.java", "Consumer createConsumer(Session session, String selector);", []),
    ("A.java", 'interface Subscribe extends Stomp { String SELECTOR = "selector"; }', []),
    ("A.java", "A(String s) throws IOException, JMSException { this.selector = s; }", []),
    # Constants, and concatenated texts.
    ("A.java", 'class A { static final String X = "S"; void x() { c.setMessageSelector(X); } }', ["S"]),
    (
        "A.java",
        'class A { String X = "S"; void x() { c.setMessageSelector(A.X); c.setMessageSelector(B.X); } }',
        ["S", 1],
    ),
    (
        "A.java",
        'static final String X = "a = ";\nString y = X\n  + "1";\nc.setMessageSelector(y + " OR b = 2");',
        ["a = 1 OR b = 2"],
    ),
    ("A.java", 'String x = "a";\nif (b) x = "c";\nc.setMessageSelector(x);', [3]),
    ("A.java", 'String x = "a";\nx += "c";\nc.setMessageSelector(x);', [3]),
    ("A.java", "String a = b; String b = a; c.setMessageSelector(a);", [1]),
    ("A.java", 'c.setMessageSelector("a = " + id());\nc.setMessageSelector(("S"));', [1, "S"]),
    (
        "A.java",
        'c.setMessageSelector("a = %s".formatted(x)); c.setMessageSelector(String.format("a = %s", x));',
        [1, 1],
    ),
    ("A.java", '@JmsListener(selector = "${orders.selector}")', [1]),
    ("A.java", "@JmsListener(selector = \"a = '$x'\")", ["a = '$x'"]),
    ("A.kt", 'const val X = "S"\n@JmsListener(destination = "q", selector = X)\nfun x() {}', ["S"]),
    ("A.kt", 'val x: String = "S"\nc.setMessageSelector(x)\nc.setMessageSelector("a = $id")', ["S", 3]),
    (
        "a.go",
        'const X = "S"\nvar y = amqp.LinkSelectorFilter(X)\nz := amqp.NewSelectorFilter(fmt.Sprintf("a = %d", 1))',
        ["S", 3],
    ),
    # Clients in other languages.
    ("a.py", 'from proton.reactor import Selector\nc.create_receiver(x, "q", options=Selector("S"))', ["S"]),
    ("a.py", "class Selector: pass\nSelector('#id')", []),
    ("a.py", 'import stomp\nX = "S"\nc.subscribe(destination="/queue/q", id=1, headers={"selector": X})', ["S"]),
    ("a.py", 'consumer = session.create_consumer(q, "S")', ["S"]),
    ("a.py", "def create_consumer(session, selector): pass", []),
    ("a.js", "const stomp = 1; client.subscribe('/queue/q', m => { f({selector: '#id'}) }, {selector: \"S\"})", ["S"]),
    ("a.js", "var rhea = 1; open_receiver({source: {filter: rhea.filter.selector('S')}})", ["S"]),
    ("a.rb", "Stomp::Client.new.subscribe('/queue/q', {:selector => \"S\"})", ["S"]),
    ("a.go", 'stomp.SubscribeOpt.Header("selector", "S")', ["S"]),
    ("A.java", 'StompHeaders h; h.set("selector", "S");', ["S"]),
    ("a.cs", 'new ConsumerConfiguration { Address = "a", FilterExpression = "S" };', ["artemis: S"]),
    ("a.cs", 'using Apache.NMS; session.CreateConsumer(queue, @"S""x");', ['S"x']),
    ("a.cs", 'session.CreateConsumer(queue, $"a = {x}");', [1]),
    ("a.cs", 'm.Add(s, new DescribedValue(new Symbol("apache.org:selector-filter:string"), "S"));', ["S"]),
    # Public repositories: Vert.x, Artemis, Alpakka, Camel's endpoint DSL, NMS, Jenkins, Azure Functions, rhea, uamqp.
    ("A.java", 'import io.vertx.amqp.*; new AmqpReceiverOptions().setSelector("S");', ["S"]),
    ("A.java", 'JmsEndpoint endpoint; endpoint.setSelector("S");', ["S"]),
    (
        "A.java",
        'import org.citrusframework.*; receive("q").selector("x = 1"); b.selector("jsonPath"), c.selector(x);',
        ["x = 1"],
    ),
    ("A.java", 'pod.setSelector("app=x"); spec.withSelector("app=x"); q.selector("div.a");', []),
    ("A.java", 'new QueueConfiguration("q").setFilterString("S"); divert.setFilterString(f());', ["artemis: S", 1]),
    (
        "A.java",
        'import org.apache.activemq.artemis.api.core.*; s.createQueue("a", "q", "x = 1", true);'
        ' s.createQueue("a", RoutingType.ANYCAST, "q", "x = 2", true); s.createQueue("a", "q", true);',
        ["artemis: x = 1", "artemis: x = 2"],
    ),
    ("A.java", 'JmsClient c; c.destination("q").receive("x = 1"); t.receive("queue");', ["x = 1"]),
    ("A.cs", 'using Apache.NMS; await s.CreateConsumerAsync(queue, "S"); s.CreateBrowserAsync(q, "T");', ["S", "T"]),
    ("A.cs", 'Run([ActiveMQTrigger("%q%", Selector = "S")] string m)', ["S"]),
    ("A.scala", 'import akka.stream.alpakka.jms._\nJmsConsumerSettings(s, f).withSelector("S")', ["S"]),
    ("A.java", 'import org.apache.camel.builder.endpoint.*; from(jms("queue:a").selector("S"));', ["S"]),
    ("A.java", 'fromF("%s:queue:a?selector=x%%3D1", c); from("sjms:a?messageSelector=y%3D1");', ["x=1", "y=1"]),
    ("A.java", 'from("activemq:a?consumer.selector=x%3D1&a=b").to("jms:b?jmsMessageSelector=y")', ["x=1", "y"]),
    ("A.scala", "case class JmsSettings(queue: String, selector: Option[String] = None)", []),
    ("A.java", 'import javax.jms.*; @From(selector = "S") class A {}', ["S"]),
    (
        "A.java",
        'import javax.jms.*; createConsumer(s, "orders", "x = 1"); createReceiver(s, queue, 5);',
        ["x = 1"],
    ),
    ("A.java", 'from("jms:a?selector=" + URLEncoder.encode("x = \'a+b\'", UTF_8) + "&c=d")', ["x = 'a+b'"]),
    ("a.groovy", 'ciBuildTrigger { providerData { activeMQSubscriberProviderData { selector("S") } } }', ["S"]),
    ("a.groovy", "triggers([[$class: 'ActiveMQSubscriberProviderData', name: 'x', selector: 'S']])", ["S"]),
    ("a.js", "const {filter: f} = require('rhea'); open({source: {filter: f.selector(\"S\")}})", ["S"]),
    ("a.js", 'x = rhea.types.wrap_described("S", 0x468C00000004)', ["S"]),
    ("a.js", "a = {'jms-selector': x.wrap_described('S', 0x468C00000004)}", ["S"]),
    ("a.js", "y = wrap_described('T', 0x1)", []),
    ("u.py", 'from uamqp import Source\nSource(u).set_filter(b"S")', ["S"]),
    ("c.properties", "camel.source.endpoint.selector=S", ["S"]),
    ("play.yml", "vars:\n  activemq_diverts:\n    - name: d\n      filter: S\n", ["artemis: S"]),
    ("compose.yml", "services:\n  a:\n    environment:\n      - JMS_SELECTOR=S\n      - OTHER=x\n", ["S"]),
    ("k8s.yaml", "env:\n  - name: JMS_SELECTOR\n    value: S\n  - name: x\n    value: y\n", ["S"]),
    ("c.sh", "docker exec b ./artemis consumer --filter \"S\" --destination q; x --filter 'y'", ["artemis: S"]),
    ("c.sh", "activemq browse --msgsel 'S' q\nartemis browser --filter=\"$F\"", ["activemq: S", 2]),
    ("p.jmx", '<s><stringProp name="JMSSampler.jmsSelector">S</stringProp></s>', ["S"]),
    # Keys of data in code, and constants with such names.
    ("A.java", 'c.with("mp.messaging.incoming.data.selector", "x=1").with("mp.x.selector", "y=1");', ["x=1"]),
    (
        "A.java",
        'p.put("jms.message.selector", "x = " + y); p.put("messageSelector", S); get("jms.selector", "x");',
        [1],
    ),
    ("A.java", 'Map.of(FilterTypes.JMS_SELECTOR.getValue(), "x = 1", "y", "z = 1");', ["x = 1"]),
    (
        "A.java",
        'f.put(Symbol.valueOf("jms-selector"), "x = 1"); f.put(s, new JMSSelectorFilter("y = 1"));',
        ["x = 1", "y = 1"],
    ),
    ("A.kt", 'mapOf("x-filter-jms-selector" to "x = 1")', ["qpid-java: x = 1"]),
    ("A.scala", 'Map("x-filter-jms-selector" -> "x = 1")', ["qpid-java: x = 1"]),
    ("a.py", '{"camel.source.endpoint.selector": "x = 1", "app.selector": "y = 1"}', ["x = 1"]),
    ("A.java", 'import org.x.amqp.*; parameters.put("selector", String.format("id in (\'%s\')", x));', [1]),
    # A variable, a member or an argument of that name, and functions that the file declares.
    (
        "A.java",
        "import javax.jms.*; class A { String selector = \"x = 'y'\"; String other = \"x = 'z'\"; }",
        ["x = 'y'"],
    ),
    ("A.java", 'import javax.jms.*; String selector = "x = 1"; s.createConsumer(q, selector);', ["x = 1"]),
    ("A.java", 'import javax.jms.*; String selector = "x = " + y;\ns.createConsumer(q, selector);', [2]),
    ("A.java", 'import javax.jms.*; String selector = "x = " + y;\n', [1]),
    ("a.ts", "import jms; const a = {selector: 'a[href=x]'}, b = {selector: 'app-x'}, c = {selector: 'x=1;y=2'}", []),
    (
        "a.py",
        "import stomp\nlist(selector='app=web')\nlist(selector='app=web,tier=db')\nf(selector='on=true')",
        ["on=true"],
    ),
    (
        "A.java",
        'import javax.jms.*; A() { sub("q", "x = 1"); sub("y = 1", "z"); } void sub(String q, String mySelector) {}',
        ["x = 1"],
    ),
    ("A.java", 'import javax.jms.*; check(m, "x = 1", "y = 1"); void checkSelector(M m, String text) {}', []),
    ("A.java", 'import javax.jms.*; void isSelected(M m, String text) {} isSelected(m, "x = 1");', []),
    (
        "A.java",
        'import javax.jms.*; void trySelector(M m, String text) {} trySelector(m, "x = 1", "y = 1");',
        ["x = 1"],
    ),
    ("a.py", 'import stomp\nclass A:\n  def sub(self, selector=None): pass\nA().sub("x = 1")', ["x = 1"]),
    (
        "a.cpp",
        'void set(amqp::options &o, const std::string& selector_text) {} void a() { set(o, "x = 1"); }',
        ["x = 1"],
    ),
    ("a.go", 'import "amqp"\nfunc sub(q string, selector string) {}\nfunc a() { sub("q", "x = 1") }', ["x = 1"]),
    ("a.kt", 'import javax.jms.*\nfun sub(q: String, selector: String) {}\nfun a() { sub("q", "x = 1") }', ["x = 1"]),
    ("a.ts", "const a = {messageSelector: '#x'}, b = {messageSelector: \"x = 'y'\"};", ["x = 'y'"]),
    ("a.ts", "import stompit; f({messageSelector: 'S'});", ["S"]),
    ("A.java", 'new ActiveMQSubscriberProviderData(name, null, "x = 1", emptyList());', ["x = 1"]),
    ("A.java", 'new ActiveMQSubscriberProviderData(name, null, "x 1", checks, "V", false, 60);', ["x 1"]),
    (
        "A.java",
        """f("providers: [activeMQSubscriber(name: '" + N + "',\\n" + "selector: \\"x 'y'\\",\\n)]");""",
        ["x 'y'"],
    ),
    (
        "A.java",
        """f("[$class: 'ActiveMQSubscriberProviderData',\\n" + " selector: \\"x = 'y'\\",\\n" + "]");""",
        ["x = 'y'"],
    ),
    # Helpers, the broker's own management view, options of a destination, and other things with such names.
    (
        "A.java",
        'import javax.jms.*; createConsumer(s, "red"); createConsumer(s, "x = 1"); createConsumer(s, f());',
        ["x = 1", 1],
    ),
    ("a.cs", 'using Amqp; session.CreateReceiver("r" + n, "any"); session.CreateReceiver("r" + n, a.Path);', []),
    ("A.java", "import javax.jms.*; c.createJmsConsumer(q, o.getSelector(), 1); c.createQueueBrowser(q, f, x);", [1]),
    (
        "A.java",
        'import javax.jms.*; c.createConsumer(name, q, null, jmsSelector); c.createConsumer("red", selector);',
        [1, 1],
    ),
    (
        "A.java",
        'import org.apache.qpid.*; peer.expectAttach().withJMSSelector("S").and().withJMSSelector(f);',
        ["S", 1],
    ),
    # ActiveMQ's management view of a broker: client, subscription and topic precede the selector.
    (
        "A.java",
        'v.createDurableSubscriber(id, "s", "t", "x = 1"); v.createDurableSubscriber("i", s, t, "b");',
        ["x = 1", "b"],
    ),
    ("A.java", 'v.createDurableSubscriber("id", "s", "a.b", null);', []),
    ("A.java", 'v.createDurableSubscriber(id, "s", "t", x());\nv.createDurableSubscriber("id", s, t, x);', [1, 2]),
    ("A.java", "void a(String f) {\n v.createDurableSubscriber(id, name, topicName,\n f); }", [3]),
    (
        "A.java",
        's.createDurableSubscriber(t, "n", "x = 1", noLocal); s.createDurableSubscriber(t, "n", null, x);',
        ["x = 1"],
    ),
    ("A.java", "void a(boolean f) { s.createDurableSubscriber(topic, name,\n selector,\n f); }", [2]),
    ("A.java", "import javax.jms.*; c.createConsumer(d, session, null,\n selectorText, size);", [2]),
    # JMS for Go and for Ruby, the matchers of mocks, and the name of a key.
    (
        "a.go",
        'import "x/jms"\nfunc a() { c.CreateConsumerWithSelector(q, "JMSCorrelationID") }\n'
        "func b() { c.CreateConsumerWithSelector(q, s()) }\n"
        "func (x C) CreateConsumerWithSelector(dest D, selector string) {}",
        ["JMSCorrelationID", 3],
    ),
    (
        "a.rb",
        '# jms\nlet (:selector) { "a = 1" }\nlet(:selector) { \'a = 2\' }\nlet(:selector) { "a" }',
        ["a = 1", "a = 2"],
    ),
    (
        "A.java",
        'import javax.jms.*; when(s.createConsumer(any(D.class), anyString())); s.createConsumer(any(), eq("a = 1"));'
        " s.createConsumer(q, isNull()); s.createDurableSubscriber(any(), anyString(), anyString(), anyBoolean());",
        ["a = 1"],
    ),
    (
        "A.java",
        'import javax.jms.*; String MESSAGE_SELECTOR = "message-selector"; void a() { messageSelector = "a"; }',
        ["a"],
    ),
    # Lines of properties inside texts, and destinations that an application defines.
    (
        "A.java",
        'import jakarta.jms.*; @JMSDestinationDefinition(properties = {"durable=false", "selector=a = \'b\'"})',
        ["a = 'b'"],
    ),
    (
        "A.java",
        '@SpringBootTest(properties = {"mp.messaging.incoming.a.selector = a = 1", "x.kafka.selector=a = 1",\n'
        ' "mp.messaging.incoming.b.selector=a = \'" + x + "\'", "messageSelector=" + y + ", size=" + z})',
        ["a = 1", 2],
    ),
    ("A.java", 'import javax.jms.*; log("selector=" + x + ", y=" + z); f("selector=[a=b]", "other=a = 1");', []),
    (
        "ejb-jar.xml",
        "<jms-destination><property><name>selector</name><value>a = 1</value></property>"
        "<property><name>durable</name><value>a = 2</value></property></jms-destination>",
        ["a = 1"],
    ),
    (
        "A.java",
        "JMSServerManager m; m.createQueue(false, n, selectorText, durable);\nm.createQueue(false, p, n, selector, d);",
        [1, 2],
    ),
    # XML in a literal, with its namespaces.
    (
        "A.java",
        'String a = """\n    <?xml version="1.0"?>\n    <core xmlns="urn:activemq:core">\n'
        '      <queue><filter string="a &lt; 1"/></queue></core>\n    """;',
        ["artemis-core: a < 1"],
    ),
    (
        "A.java",
        'String a = """\n<from uri="jms:q?selector=x%3D1&amp;b=2"/>\n<listener selector="${k}"/>\n""".strip();',
        ["x=1", 3],
    ),
    (
        "A.java",
        'String a = "<property name=\\"messageSelector\\"" + " value=\\"a = 1\\"/>" + "<property/>";\n'
        'String b = "<property name=\\"messageSelector\\" value=\\"a = \\"" + x;\n'
        'String c = "<a><br></a><property name=\\"messageSelector\\" value=\\"a = 1\\"/>", d = "<a><br selector></a>";',
        ["a = 1", 2, 3],
    ),
    ("a.kt", 'val a = """\n<listener selector="a = $x"/>\n<listener selector="a = 1"/>""".trimIndent()', [2, "a = 1"]),
    ("a.py", "a = r'''\n<jmsListener selector='a = 1'/>'''", ["a = 1"]),
    ("a.groovy", "def a = '''<jmsListener selector=\"a = '1'\"/>'''", ["a = '1'"]),
    ("a.go", 'a := `<queue><filter string="a = 1"/></queue>`', ["artemis-core: a = 1"]),
    ("a.cs", 'var a = @"<jmsListener selector=""a = 1""/>";', ["a = 1"]),
    # Citrus's tests.
    (
        "A.java",
        'import org.citrusframework.*; e.createConsumer().receive("a = 1", context).receive("b", c);',
        ["a = 1"],
    ),
    (
        "a.yaml",
        "- receive:\n    selector:\n      element:\n        - {name: a, value: b}\n"
        "- receive:\n    selector:\n      value: a = 1\n- purge:\n    select: a = 2\n",
        ["a = 1", "a = 2"],
    ),
    (
        "a.xml",
        "<t xmlns='http://citrusframework.org/schema/xml/testcase'><receive><selector><value>a = 1</value></selector>"
        "</receive><receive><selector><element name='a' value='b'/></selector></receive>"
        "<receive><selector><value>xpath://a[@b='c']/d = 'e'</value></selector></receive>"
        "<expect-timeout select='a = 2'/></t>",
        ["a = 1", "a = 2"],
    ),
    ("A.java", 'import javax.jms.*; s.createDurableSubscriber(t, "a?consumer.prefetchSize=1");', []),
    (
        "A.java",
        'import javax.jms.*; s.createDurableSubscriber(t, "a.>"); f(s.createReceiver("d/" + e, "d/<e>/f"));',
        [],
    ),
    ("a.cpp", "Jms::Jms(string selector) : selector(selector) {}", []),
    ("A.java", 'import org.x.amqp.*; pods.withPodSelector(Map.of("x", "y"));', []),
    ("A.java", 'new ActiveMQQueue("A.B?a=1&consumer.selector=x%3D1&b=2"); new Other("A.B?selector=x");', ["x=1"]),
    ("A.java", 'import javax.jms.*; String SELECTOR_ONE = "x = 1", mySelector = "red", one = "x = 2";', ["x = 1"]),
    (
        "a.cs",
        'f.Add(new Symbol("apache.org:selector-filter:string"),\n'
        ' new DescribedValue(new Symbol("apache.org:selector-filter:string"), filter));\n'
        'f.Get(new Symbol("apache.org:selector-filter:string"), other);',
        [2],
    ),
    ("a.js", "function overhead(selector) { selector(document); }", []),
    # This project's own functions and commands.
    ("a.py", 'from spark_ext import compile_selector\ncompile_selector("S", df)', ["S"]),
    ("a.py", 'import transpiler\ntranspiler.transpile_selector("S", dialect="artemis")', ["artemis: S"]),
    ("a.py", 'from transpiler import evaluate, subsumes\nevaluate(S, m)\nsubsumes("a", "b")', [2, "a", "b"]),
    ("a.py", 'import other\nother.evaluate("S")', []),
    ("a.sh", "selector-sql sql \"S\" --layout x\nselector-sql match --dialect artemis 'T' f", ["S", "artemis: T"]),
    ("a.sh", 'x | selector-sql sql --schema "a INT" "a = $X" # selector-sql sql b\n', [1]),
    ("a.sh", "/opt/bin/selector-sql check -e 'S' \\\n  -e T; selector-sql sql '{\"filters\": 1}'", ["S", "T"]),
    (
        "a.ipynb",
        '{"cells": [{"cell_type": "markdown", "source": ["compile_selector(\\"no\\")"]},'
        ' {"source": ["from spark_ext import compile_selector\\n", "compile_selector(\\"S\\")"], "cell_type": "code"},'
        ' {"source": "!selector-sql sql \'T\'", "cell_type": "code"},'
        ' {"source": ["%%sh\\n", "selector-sql sql \\"U\\""], "cell_type": "code"}]}',
        ["S", "T", "U"],
    ),
    # RabbitMQ's SQL filters.
    ("A.java", 'builder.stream().filter()\n  .sql("S").stream().builder();', ["rabbitmq: S"]),
    ("A.java", 'spark.sql("SELECT 1"); // selector', ["SELECT 1"]),
    ("A.java", 'spark.sql("SELECT 1 FROM filter");', []),
    ("a.py", 'StreamConsumerOptions(filter_options=StreamFilterOptions(sql="S"))', ["rabbitmq: S"]),
    ("a.go", 'o := &rmq.StreamFilterOptions{SQL: "S"}', ["rabbitmq: S"]),
    # Camel's URIs, in code, XML and YAML.
    ("A.java", "from(\"jms:queue:o?concurrentConsumers=2&selector=a%3D'b'&x=1\");", ["a='b'"]),
    ("A.java", 'from("activemq:o?selector=RAW(a=\'b\' & c)"); from("file:o?selector=x");', ["a='b' & c"]),
    ("A.java", 'from("jms:o?selector=" + s);', [1]),
    ("c.xml", "<route><from uri=\"jms:o?x=1&amp;selector=a%3D'b'\"/></route>", ["a='b'"]),
    ("c.yaml", "- from:\n    uri: \"jms:o?selector=a%3D'b'\"", ["a='b'"]),
    ("c.yaml", "- route:\n    from:\n      uri: jms:o\n      parameters:\n        selector: S\n", ["S"]),
    # Kafka's connectors.
    (
        "c.properties",
        "connect.jms.kcql=INSERT INTO t SELECT * FROM q WITHTYPE QUEUE WITHJMSSELECTOR=`a='b'`",
        ["a='b'"],
    ),
    ("c.json", '{"config": {"connect.jms.kcql": "INSERT INTO t SELECT * FROM q WITHJMSSELECTOR=`S`"}}', ["S"]),
    ("c.json", '{"config": {"jms.message.selector": "S"}}', ["S"]),
    # Spring, MicroProfile.
    (
        "application.yml",
        "spring:\n  cloud:\n    stream:\n      solace:\n        bindings:\n          in-0:\n"
        "            consumer:\n              selector: S\n",
        ["S"],
    ),
    ("application.yml", "app:\n  jms:\n    selector: S\n  pods:\n    selector: x\n", ["S"]),
    ("application.yml", "app:\n  jms:\n    selector: ${OTHER}\n", [3]),
    ("application.properties", "mp.messaging.incoming.prices.selector=S", ["S"]),
    ("s.xml", '<b xmlns:jms="http://www.springframework.org/schema/jms"><jms:listener selector="S"/></b>', ["S"]),
    (
        "s.xml",
        '<b xmlns:x="http://www.springframework.org/schema/integration/jms">'
        '<x:message-driven-channel-adapter selector="S"/><y selector="x"/></b>',
        ["S"],
    ),
    (
        "config.xml",
        "<p><x.y.CIBuildTrigger plugin='jms'><selector>S</selector></x.y.CIBuildTrigger>"
        "<x.CIMessageSubscriberBuilder><selector>T</selector></x.CIMessageSubscriberBuilder></p>",
        ["S", "T"],
    ),
    ("m.xml", '<m xmlns:jms="http://www.mulesoft.org/schema/mule/jms"><jms:listener selector="#[s]"/></m>', [1]),
    ("m.xml", '<m xmlns:jms="http://www.mulesoft.org/schema/mule/jms"><jms:selector expression="S"/></m>', ["S"]),
    ("w.xml", '<p><parameter name="transport.jms.MessageSelector">S</parameter></p>', ["S"]),
    # Brokers.
    (
        "standalone.xml",
        f'<s xmlns="{_ARTEMIS}"><server><divert name="d" filter="S"/><jms-queue name="q" selector="S"/>'
        '<other filter="x"/></server></s>',
        ["artemis-core: S", "artemis: S"],
    ),
    ("broker.xml", '<core xmlns="urn:activemq:core"><bridge><filter string="S"/></bridge></core>', ["artemis-core: S"]),
    (
        "activemq.xml",
        '<b><amq:broker xmlns:amq="http://activemq.apache.org/schema/core">'
        '<amq:filteredDestination selector="S"/></amq:broker></b>',
        ["activemq: S"],
    ),
    (
        "cr.yaml",
        'spec:\n  brokerProperties:\n  - "addressConfigurations.o.queueConfigs.e.filterString=S"\n',
        ["artemis-core: S"],
    ),
    (
        "cm.yaml",
        "data:\n  broker.properties: |\n    divertConfigurations.d.filterString=S\n    x=1\n",
        ["artemis-core: S"],
    ),
)


@pytest.mark.parametrize(("name", "text", "expected"), CASES, ids=range(len(CASES)))
def test_the_selectors_of_a_place_are_read_or_said_to_be_unread(
    name: str, text: str, expected: list[str | int]
) -> None:
    seen: list[str | int] = []
    for one in find_selectors(text, name):
        if isinstance(one, FoundSelector):
            seen.append(one.mapped.text if one.dialect is None else f"{one.dialect}: {one.mapped.text}")
        else:
            seen.append(Lines(text).location(Span(one.offset, one.offset)).line)
    assert seen == expected


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.yml", 'spring: {activemq: {broker-url: x}}\norders: {audit-selector: "region == 5"}\n', ["region == 5"]),
        # A file of a program without messages, the selectors of Kubernetes and of web pages, and texts that are not a
        # condition.
        ("a.yml", 'orders: {audit-selector: "region == 5"}\n', []),
        ("a.yml", 'amqp: x\nnode-selector: "disk == ssd"\nspec: {labelSelector: "a in (b, c)"}\n', []),
        (
            "a.yml",
            'amqp: x\nui: {css-selector: "a > b", row-selector: "tr[data-id=1]", menu-selector: ".nav > li"}\n',
            [],
        ),
        ("a.yml", "amqp: x\nfeature: {color-selector: blue, bean-selector: app=orders}\n", []),
    ],
)
def test_a_key_of_ones_own_is_found_in_a_file_about_messages(name: str, text: str, found: list[str]) -> None:
    assert [one.mapped.text for one in find_selectors(text, name) if isinstance(one, FoundSelector)] == found
