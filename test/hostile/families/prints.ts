// Documents that are printed: addresses, names and notes of megabytes on each of a hundred, thousands of
// rows, many at a time.
import type { Attack, Hands } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

const REPORT = 'account.report_invoice'

async function createRecords(hands: Hands, model: string, vals: Body): Promise<readonly number[]> {
  const { status, text } = await hands.json2('clerk', `${model}/create`, ['{"vals_list":[', ...vals, ']}'])
  return status === 200 ? (JSON.parse(text) as number[]) : []
}

/** Prints invoices, as they are listed, so many times at once. */
async function printed(hands: Hands, ids: readonly number[], formats: readonly string[], atOnce = 1) {
  if (ids.length === 0) return
  await hands.crowd(formats.length * atOnce, formats.length * atOnce, (at) =>
    hands.send({
      path: `/report/${formats[at % formats.length]}/${REPORT}/${ids.join()}`,
      headers: {
        authorization: `bearer ${hands.world.keys.clerk}`,
        'x-service-database': hands.world.database,
      },
    }),
  )
}

const invoice = (partner: number, lines: Body, more = ''): Body => [
  `{"move_type":"out_invoice","partner_id":${partner}${more},"invoice_line_ids":[`,
  ...lines,
  ']}',
]
const item = (income: number, at: number) =>
  `[0,0,{"name":"i${at}","account_id":${income},"quantity":1,"price_unit":1}]`

/** So many invoices to one contact, whose address has so many characters in each of its lines. */
async function longAddresses(hands: Hands, n: number, invoices: number): Promise<void> {
  const income = hands.world.shop?.income ?? 0
  const fields = ['name', 'street', 'street2', 'city', 'zip', 'vat']
  const vals = fields.flatMap((name, at): Body => [`${at ? ',' : ''}"${name}":"`, times(n, 'a'), '"'])
  const [partner] = await createRecords(hands, 'res.partner', ['{', ...vals, '}'])
  if (!partner) return
  const move = invoice(partner, [item(income, 0)]).join('')
  await printed(hands, await createRecords(hands, 'account.move', [many(invoices, move)]), ['html', 'pdf'])
}

/** Names and references, which stand in headings. */
async function longNames(hands: Hands, n: number): Promise<void> {
  const income = hands.world.shop?.income ?? 0
  const vals: Body = Array.from(
    { length: 20 },
    (_, at): Body => [
      ...(at ? [','] : []),
      `{"move_type":"out_invoice","partner_id":1,"ref":"`,
      times(n, 'r'),
      '","payment_reference":"',
      times(n, 'p'),
      `","invoice_line_ids":[${item(income, 0)}]}`,
    ],
  ).flat()
  await printed(hands, await createRecords(hands, 'account.move', vals), ['html', 'pdf'])
}

async function longNote(hands: Hands, n: number): Promise<void> {
  const income = hands.world.shop?.income ?? 0
  const line: Body = [
    '[0,0,{"name":"',
    times(n / 10, 'word after'),
    `","account_id":${income},"price_unit":1}]`,
  ]
  const vals = invoice(1, line)
  await printed(hands, await createRecords(hands, 'account.move', vals), ['html', 'pdf'])
}

async function manyRows(hands: Hands, n: number): Promise<void> {
  const income = hands.world.shop?.income ?? 0
  const vals = invoice(1, [many(n, (at) => item(income, at))])
  await printed(hands, await createRecords(hands, 'account.move', vals), ['html', 'pdf'], 15)
}

/** Five invoices of some lines, printed so many times at once. */
async function often(hands: Hands, n: number, format: string): Promise<void> {
  const income = hands.world.shop?.income ?? 0
  const move = invoice(1, [many(20, (at) => item(income, at))])
    .map((part) => (typeof part === 'function' ? [...part()].join('') : part))
    .join('')
  await printed(hands, await createRecords(hands, 'account.move', [many(5, move)]), [format], n)
}

const shapes: Readonly<Record<string, { size: number; run: Attack['run'] }>> = {
  'html-by-the-hundred': { size: 100, run: (hands, n) => often(hands, n, 'html') },
  'pdf-by-the-hundred': { size: 100, run: (hands, n) => often(hands, n, 'pdf') },
  'long-addresses': { size: 1_000_000, run: (hands, n) => longAddresses(hands, n, 100) },
  'addresses-of-a-page': { size: 30_000, run: (hands, n) => longAddresses(hands, n, 100) },
  'long-names': { size: 1_000_000, run: longNames },
  'long-note': { size: 15_000_000, run: longNote },
  'thirty-of-thousands-of-rows': { size: 2500, run: manyRows },
}

export const prints: readonly Attack[] = Object.entries(shapes).map(([name, { size, run }]) => ({
  name: `print/${name}`,
  area: 'C',
  inShop: true,
  size,
  run,
}))
