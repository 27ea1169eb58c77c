// Calls in XML: every type, every spelling, and everything that is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadRequest, PayloadTooLarge } from '../../errors.ts'
import { setLimits } from '../../limits.ts'
import { CallReader, decodeCall } from './decode.ts'

const call = (value: string) =>
  `<methodCall><methodName>m</methodName><params><param>${value}</param></params></methodCall>`
const read = (xml: string) => decodeCall(Buffer.from(xml))
const value = async (xml: string) => (await read(call(`<value>${xml}</value>`))).params[0]

test('every type arrives as a value', async () => {
  assert.equal(await value('<int>-7</int>'), -7)
  assert.equal(await value('<i8>30000000000</i8>'), 30000000000)
  assert.equal(await value('<double>1.5e3</double>'), 1500)
  assert.equal(await value('<boolean>1</boolean>'), true)
  assert.equal(await value('<string> a &lt;b&gt; </string>'), ' a <b> ')
  assert.equal(await value('untyped &#233;'), 'untyped é')
  assert.equal(await value('<string><![CDATA[<x>]]></string>'), '<x>')
  assert.equal(await value(''), '')
  assert.equal(await value('<nil/>'), null)
  assert.equal(await value('<dateTime.iso8601>20240131T12:30:00</dateTime.iso8601>'), '2024-01-31 12:30:00')
  assert.deepEqual(await value('<array><data> <value><i4>1</i4></value> <value/> </data></array>'), [1, ''])
  assert.deepEqual(await value('<struct><member><name>a</name><value><struct/></value></member></struct>'), {
    a: {},
  })
})

test('a member named __proto__ is a member like any other', async () => {
  const read = (await value(
    '<struct><member><name>__proto__</name><value><int>1</int></value></member></struct>',
  )) as object
  assert.deepEqual(Object.keys(read), ['__proto__'])
  assert.equal(Object.getPrototypeOf(read), Object.prototype)
})

test('params may be missing, and comments are nothing', async () => {
  for (const rest of ['', '<params/>', '<params>\n</params>', '<!-- params -->'])
    assert.deepEqual(
      await read(
        `<?xml version="1.0"?><!-- c --><methodCall><methodName>version</methodName>${rest}</methodCall>`,
      ),
      {
        method: 'version',
        params: [],
      },
    )
})

test('the encoding that the document names is the one it is read in', async () => {
  const xml = `<?xml version="1.0" encoding="iso-8859-1"?>${call('<value>é</value>')}`
  assert.deepEqual((await decodeCall(Buffer.from(xml, 'latin1'))).params, ['é'])
})

const broken: readonly [string, string | Buffer][] = [
  ['no UTF-8', Buffer.from(call('<value>é</value>'), 'latin1')],
  ['nothing', ''],
  ['no XML', '{}'],
  ['cut', '<methodCall><methodName>m</methodName>'],
  ['crossed', '<methodCall><methodName>m</methodCall></methodName>'],
  ['two roots', `${call('<value/>')}<methodCall/>`],
  ['a response', '<methodResponse><params/></methodResponse>'],
  ['no name', '<methodCall><params/></methodCall>'],
  ['an empty name', '<methodCall><methodName></methodName></methodCall>'],
  ['two names', '<methodCall><methodName>a</methodName><methodName>b</methodName></methodCall>'],
  ['text between', call('<value><int>1</int>x</value>')],
  ['two values in one', call('<value><int>1</int><int>2</int></value>')],
  ['a member without a value', call('<value><struct><member><name>a</name></member></struct></value>')],
  ['an unknown type', call('<value><unknown>1</unknown></value>')],
  ['base64', call('<value><base64>eA==</base64></value>')],
  ...['x', '', '1.5', '0x10'].map((text): [string, string] => [
    `int ${text}`,
    call(`<value><int>${text}</int></value>`),
  ]),
  ...['nan', 'Infinity', '1e999', ''].map((text): [string, string] => [
    `double ${text}`,
    call(`<value><double>${text}</double></value>`),
  ]),
  ['boolean 2', call('<value><boolean>2</boolean></value>')],
  ['an unknown entity', call('<value>&nope;</value>')],
  ['a document type', `<!DOCTYPE m [<!ENTITY v "x">]>${call('<value>&v;</value>')}`],
  ['an external one', `<!DOCTYPE m SYSTEM "file:///etc/passwd">${call('<value/>')}`],
  [
    'nesting without end',
    call('<value><array><data>'.repeat(20_000) + '</data></array></value>'.repeat(20_000)),
  ],
]

for (const [name, xml] of broken) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(decodeCall(Buffer.from(xml)), BadRequest)
  })
}

test('a bomb of entities, a depth of 100,000 and text around 50 MB do no harm', async () => {
  const bomb = Array.from({ length: 20 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join('')
  await assert.rejects(
    decodeCall(Buffer.from(`<!DOCTYPE m [<!ENTITY e0 "x">${bomb}]>${call('<value>&e20;</value>')}`)),
    BadRequest,
  )
  await assert.rejects(decodeCall(Buffer.from('<methodCall><a>'.repeat(100_000))), BadRequest)
  await assert.rejects(decodeCall(Buffer.from(call('<value><array><data>'.repeat(100_000)))), BadRequest)
  const { params } = await decodeCall(Buffer.from(call(`<value>${'x'.repeat(50 * 1024 * 1024)}</value>`)))
  assert.equal((params[0] as string).length, 50 * 1024 * 1024)
})

test('a large call lets others pass while it is read, wherever it is cut', async () => {
  const item = '<value><string>é☃𝄞&amp;</string></value>'
  let turns = 0
  const counter = setInterval(() => turns++, 0)
  const { params } = await decodeCall(
    Buffer.from(call(`<value><array><data>${item.repeat(50_000)}</data></array></value>`)),
  )
  clearInterval(counter)
  assert.ok(turns > 0, 'nothing else ran')
  assert.ok((params[0] as string[]).every((text) => text === 'é☃𝄞&'))
})

test('values are counted, and whatever costs as much as one', async (t) => {
  t.after(() => setLimits())
  setLimits({ values: 1000 })
  const many = (item: string) =>
    decodeCall(Buffer.from(call(`<value><array><data>${item.repeat(1200)}</data></array></value>`)))
  for (const item of ['<value/>', '<value><int>1</int></value>', '<!---->', '<?a?>'])
    await assert.rejects(many(item), PayloadTooLarge, item)
  await assert.rejects(
    decodeCall(Buffer.from(call(`<value>${'<![CDATA[a]]>'.repeat(1200)}</value>`))),
    PayloadTooLarge,
  )
  // Elements without values are refused where the second one stands.
  for (const item of ['<data/>', '<data></data>'])
    await assert.rejects(value(`<array>${item.repeat(2)}</array>`), BadRequest)
  await assert.rejects(value(`<struct><member>${'<name/>'.repeat(3)}</member></struct>`), BadRequest)
  setLimits({ members: 10 })
  const struct = (count: number) =>
    `<struct>${'<member><name>a</name><value/></member>'.repeat(count)}</struct>`
  await value(struct(10))
  await assert.rejects(value(struct(11)), /limit "members"/)
  setLimits({ depth: 10 })
  await assert.rejects(value('<array><data><value>'.repeat(12)), /deeper than 10/)
})

test('the method and the params that are whole can be seen before the end', () => {
  const reader = new CallReader()
  assert.deepEqual(reader.partial, { method: undefined, params: [] })
  reader.write(
    Buffer.from(
      '<methodCall><methodName>execute_kw</methodName><params><param><value>db</value></param><param><value><int>2</int></value>',
    ),
  )
  assert.deepEqual(reader.partial, { method: 'execute_kw', params: ['db'] })
  reader.write(Buffer.from(`</param><param><value>secret</value></param><param><value>${'x'.repeat(100)}`))
  assert.deepEqual(reader.partial, { method: 'execute_kw', params: ['db', 2, 'secret'] })
})
