// Pages of the change feed compared with lists of the same records.
import type { Asker } from './asker.ts'
import { median, type Size } from './figures.ts'

/** A page of 500 changes compared with a search_read of 500. */
export async function pages(on: Asker, { rounds }: Size) {
  const question = { models: { 'res.partner': { fields: ['name', 'email'] } }, limit: 500 }
  const { cursor } = (await on.post('/x/1/changes', { ...question, from: 'now' })).body as { cursor: string }
  const ids = (
    await on.post('/json/2/res.partner/create', {
      vals_list: Array.from({ length: 500 }, (_, n) => ({ name: `Page ${n}` })),
    })
  ).body as number[]
  for (const id of ids) await on.post('/json/2/res.partner/write', { ids: [id], vals: { email: `p${id}@x` } })
  const later = (await on.post('/x/1/changes', { ...question, cursor, limit: 500 })).body as {
    cursor: string
  }
  const page = () => on.post('/x/1/changes', { ...question, cursor: later.cursor })
  const read = () =>
    on.post('/json/2/res.partner/search_read', {
      domain: [['id', 'in', ids]],
      fields: ['name', 'email'],
      limit: 500,
    })
  const changes = ((await page()).body as { changes: unknown[] }).changes.length
  const [ofPage, ofRead]: [number[], number[]] = [[], []]
  for (let n = 0; n < rounds * 10; n++) {
    ofPage.push((await page()).ms)
    ofRead.push((await read()).ms)
  }
  return {
    'changes on the page': changes,
    'page of 500 changes / search_read of 500 (time)': median(ofPage) / median(ofRead),
  }
}
