// Pages: what is read for them is read once, however many rows they have.
import assert from 'node:assert/strict'
import { Session } from 'node:inspector/promises'
import { test } from 'node:test'
import type { PrintDocument } from './document.ts'
import { composePdf } from './layout.ts'

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
