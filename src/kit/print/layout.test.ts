// Pages: what is read for them is read once, however many rows they have.
import assert from 'node:assert/strict'
import { Session } from 'node:inspector/promises'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import type { PrintDocument } from './document.ts'
import { printHtml } from './html.ts'
import { composePdf } from './layout.ts'
import type { PrintLook } from './look.ts'

const documentOf = (rows: number): PrintDocument => ({
  id: 1,
  name: 'Rows',
  title: 'Rows',
  lang: 'en',
  paper: 'A4',
  logo: null,
  sender: ['Shop'],
  footer: ['Thank you'],
  page: 'Page',
  final: false,
  blocks: [
    {
      kind: 'table',
      columns: [
        { label: 'What', width: 3 },
        { label: 'Price', width: 1, align: 'right' },
      ],
      rows: Array.from({ length: rows }, (_, at) =>
        at % 10
          ? { kind: 'values', cells: [`Boots ${at}`, '9.00'] }
          : { kind: 'section', text: 'Of leather' },
      ),
    },
  ],
})

test('the measures of a font are read once for a document, not for each row', async () => {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    const pdf = await composePdf([documentOf(200)])
    assert.equal(Buffer.from(pdf).subarray(0, 5).toString(), '%PDF-')
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const counts = result
      .filter(({ url }) => url.includes('pdfkit'))
      .flatMap(({ functions }) => functions)
      .filter(({ functionName }) => functionName === 'AFMFont' || functionName === 'open')
      .map(({ functionName, ranges }) => [functionName, ranges[0]?.count ?? 0] as const)
      .filter(([, count]) => count > 0)
    assert.deepEqual(counts.toSorted(), [
      ['AFMFont', 2],
      ['open', 2],
    ])
  } finally {
    session.disconnect()
  }
})

/** The drawing operators of a PDF, and the names of its fonts. */
async function contentsOf(document: PrintDocument): Promise<string> {
  const pdf = Buffer.from(await composePdf([document])).toString('latin1')
  const streams = [...pdf.matchAll(/stream\n([\s\S]*?)\nendstream/g)].map(([, bytes = '']) =>
    inflateSync(Buffer.from(bytes, 'latin1')).toString('latin1'),
  )
  return [...streams, ...(pdf.match(/BaseFont .*/g) ?? [])].join('\n')
}

test('documents are drawn in the colours, the font and the layout of their look', async () => {
  const look = (more: Partial<PrintLook>): PrintDocument => ({
    ...documentOf(3),
    look: { layout: 'standard', primary: null, secondary: null, font: 'Lato', ...more },
  })
  const plain = await contentsOf(documentOf(3))
  assert.equal(await contentsOf(look({})), plain)
  const green = '0 1 0 scn'
  assert.ok(!plain.includes(green))
  assert.ok((await contentsOf(look({ primary: '#00ff00' }))).includes(green))
  assert.match(await contentsOf(look({ font: 'Fira Mono' })), /Courier-Bold/)
  const drawn = new Set([plain])
  for (const layout of ['boxed', 'bold', 'striped'] as const) drawn.add(await contentsOf(look({ layout })))
  assert.equal(drawn.size, 4)

  const page = printHtml([look({ layout: 'striped', secondary: '#0000ff', font: 'Open Sans' })])
  assert.match(page, /<article lang="en" class="striped" style="[^"]*--label:#0000ff[^"]*Open Sans/)
  assert.ok(!printHtml([look({ primary: 'red;background:url(//x)' })]).includes('url('))
})
