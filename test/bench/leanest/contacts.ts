// Creating and writing one contact compared with the leanest handlers by hand: the row with its
// computed values, child contacts that share the address, and the rows of the feed.
import { type Amount, besideLeanest, type Lean, openLean, type Side } from './sides.ts'
import { asFunction, BEGIN, COMMIT, feedOf, knownCaller } from './sql.ts'

const AMOUNT: Amount = { calls: 500, rounds: 9 }

const columns = `lang, active, type, is_company, color, name, email, city, partner_share, commercial_partner_id, complete_name, create_uid, create_date, write_uid, write_date, id`
/** `n` has the new id. */
const values = (uid: string, name: string, email: string, city: string) =>
  `'en_US', true, 'contact', false, 0, ${name}, ${email}, ${city}, true, n.id, ${name}, ${uid}, now() AT TIME ZONE 'UTC', ${uid}, now() AT TIME ZONE 'UTC', n.id`
const changeRow = `VALUES (0, 'res.partner', 'c', ARRAY[(SELECT id FROM n)], '{}'::text[], NULL::text)`
const written = `SELECT 0, 'res.partner', 'u', ids, ARRAY['city'], NULL::text FROM (SELECT array_agg(id ORDER BY id) AS ids FROM w) AS a`
const mine = `(t.partner_share IS NOT TRUE OR t.company_id = 1 OR t.company_id IS NULL)`
const below = `OR t.parent_id = $ID AND t.type = 'contact' AND t.active`

/** The next id, and the row of the feed that announces it. */
const NEXT = `SELECT nextval('res_partner_id_seq')::int AS id`

async function creating(lean: Lean): Promise<Record<string, Side>> {
  const { connection } = lean
  const who = await knownCaller(lean)
  const insert = `INSERT INTO res_partner (${columns}) SELECT ${values('$1::int', '$2::text', '$3::text', '$4::text')} FROM (${NEXT}) AS n RETURNING id`
  const tell = `WITH who AS (SELECT $1::int AS uid), n AS (SELECT currval('res_partner_id_seq')::int AS id), ${feedOf(changeRow)} SELECT 1`
  const insertStatement = `WITH who AS MATERIALIZED (${who.text}), n AS MATERIALIZED (${NEXT} FROM who),
    made AS (INSERT INTO res_partner (${columns}) SELECT ${values('who.uid', '$4::text', '$5::text', '$6::text')} FROM n, who), ${feedOf(changeRow)} SELECT id FROM n`
  await connection.simple(
    asFunction(
      'lean_create',
      'bytea, text, text, text, text, text',
      `${insertStatement.replace(/SELECT id FROM n$/, 'SELECT ARRAY[id] INTO made FROM n;')}`,
    ),
  )
  const of = (n: number) => [`Lean ${n}`, `lean${n}@example.com`, 'Namur']
  return {
    'statements in two flushes': async (n) => {
      const [, check, row] = connection.flush([
        BEGIN,
        who.check,
        { text: insert, values: [2, ...of(n)] },
        { text: tell, values: [2] },
      ])
      await check
      const [commit] = connection.flush([COMMIT])
      await commit
      return row
    },
    'one statement': (n) => connection.query(insertStatement, [...who.values, ...of(n)]),
    'a function': (n) =>
      connection.query('SELECT lean_create($1, $2, $3, $4, $5, $6)', [...who.values, ...of(n)]),
  }
}

async function writing(lean: Lean, ids: readonly number[]): Promise<Record<string, Side>> {
  const { connection } = lean
  const who = await knownCaller(lean)
  const update = (uid: string, id: string, city: string, from = '') =>
    `UPDATE res_partner t SET city = ${city}, write_uid = ${uid}, write_date = now() AT TIME ZONE 'UTC' ${from} WHERE (t.id = ${id} ${below.replace('$ID', id)}) AND ${mine} RETURNING t.id`
  const separate = `WITH who AS (SELECT $1::int AS uid), w AS (${update('$1::int', '$2::int', '$3::text')}), ${feedOf(written)} SELECT id FROM w`
  const updateStatement = `WITH who AS MATERIALIZED (${who.text}), w AS (${update('who.uid', '$4::int', '$5::text', 'FROM who')}), ${feedOf(written)} SELECT id FROM w`
  const [inWords] = [
    asFunction(
      'lean_write',
      'bytea, text, text, int, text',
      updateStatement.replace(/SELECT id FROM w$/, 'SELECT array_agg(id) INTO made FROM w;'),
    ),
  ]
  await connection.simple(inWords)
  const of = (n: number) => [ids[n % ids.length], `City ${n}`]
  return {
    'statements in two flushes': async (n) => {
      const [, check, row] = connection.flush([BEGIN, who.check, { text: separate, values: [2, ...of(n)] }])
      await check
      const [commit] = connection.flush([COMMIT])
      await commit
      return row
    },
    'one statement': (n) => connection.query(updateStatement, [...who.values, ...of(n)]),
    'a function': (n) => connection.query('SELECT lean_write($1, $2, $3, $4, $5)', [...who.values, ...of(n)]),
  }
}

/** Measures both in turns with the engine; gives lines for people. */
export async function contacts(): Promise<string[]> {
  const lean = await openLean(['base'])
  const { connection } = lean
  try {
    const vals_list = Array.from({ length: 2000 }, (_, n) => ({ name: `Lean ${n}`, city: 'Namur' }))
    const ids = JSON.parse(await lean.ask('res.partner', 'create', { vals_list })) as number[]
    await connection.simple('VACUUM ANALYZE')
    const create: Side = (n) =>
      lean.ask('res.partner', 'create', {
        vals_list: [{ name: `Lean ${n}`, email: `lean${n}@example.com`, city: 'Namur' }],
      })
    const write: Side = (n) =>
      lean.ask('res.partner', 'write', { vals: { city: `City ${n}` } }, [ids[n % ids.length] as number])
    const sides = [
      ['create of one contact', { engine: create, ...(await creating(lean)) }],
      ['write of one contact', { engine: write, ...(await writing(lean, ids)) }],
    ] as const
    const said: string[] = []
    for (const [what, each] of sides) {
      await assertAlike(lean, what, each)
      said.push(...(await besideLeanest(what, each, AMOUNT)))
    }
    return said
  } finally {
    await lean.close()
  }
}

/** Every side leaves the same rows: throws where one does less, or something else. */
async function assertAlike(
  { connection }: Lean,
  what: string,
  sides: Readonly<Record<string, Side>>,
): Promise<void> {
  let first = ''
  for (const [name, side] of Object.entries(sides)) {
    const [[seq] = []] = await connection.query('SELECT last_value FROM comptoir_feed_seq')
    await side(0)
    const rows = await connection.query(
      `SELECT (to_jsonb(t) - '{id,create_date,write_date,commercial_partner_id}'::text[])::text, t.commercial_partner_id = t.id, t.id = ANY(f.ids), f.op, f.fields::text
        FROM comptoir_change f JOIN res_partner t ON t.id = ANY(f.ids) WHERE f.seq > $1::bigint`,
      [seq],
    )
    const left = JSON.stringify(rows)
    first ||= left
    if (rows.length !== 1 || left !== first) throw new Error(`${what} by ${name}: ${left} beside ${first}`)
  }
}
