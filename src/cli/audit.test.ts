// comptoir audit: lines of the export, what the check of kept lines finds, and options that are refused.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runHere } from '../../test/support/command.ts'
import { openTestDatabase } from '../../test/support/databases.ts'
import { modules } from '../main.ts'
import { raw, sql } from '../sql/index.ts'

test('audit export: writes entries as lines from a place or a moment on, and refuses what is neither', async (t) => {
  const db = await openTestDatabase(modules.filter(({ name }) => name === 'base'))
  t.after(() => db.close())
  await db.run((env) =>
    env.execute(
      sql`INSERT INTO comptoir_audit (time, event) VALUES ('2020-01-01', 'walk.old'), ('2026-01-01', 'walk.new')`,
    ),
  )
  const take = (...options: string[]) =>
    runHere(
      ...['audit', 'export', '--database', 'test', '--data-dir', db.databases.options.dataDir],
      ...options,
    )
  const eventsIn = (out: string) => out.match(/walk\.\w+/g)
  const all = await take()
  assert.deepEqual([all.code, eventsIn(all.out)], [0, ['walk.old', 'walk.new']], all.err)
  const last = all.out.trimEnd().split('\n').length
  assert.deepEqual(eventsIn((await take('--after', String(last - 1))).out), ['walk.new'])
  assert.deepEqual(eventsIn((await take('--since', '2025-01-01', '--until', '2027-01-01')).out), ['walk.new'])
  assert.match((await take('--since', 'soon')).err, /--since must be a date and time/)
  assert.match((await take('--after', '-1')).err, /--after must be a position/)
})

test('audit verify: names the first kept line that was changed, removed or put in, without the database and against it', async (t) => {
  const db = await openTestDatabase(modules.filter(({ name }) => name === 'base'))
  const folder = mkdtempSync(join(tmpdir(), 'comptoir-kept-'))
  t.after(async () => {
    await db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const detail = { long: ['ü\u2028"\\/', null, true], b: { aa: 1, a: [] }, '': '\u001f\t', é: 'x' }
  await db.run((env) =>
    env.execute(
      sql`INSERT INTO comptoir_audit (time, event, uid, login, address, key_id, key_name, session, person_id, res_model, res_id, name, detail)
        SELECT x.time::timestamp, 'walk.line', 1, 'ann', '10.0.0.1', 7, 'books', 'abc', 3, 'res.partner', n, 'Näme', ${JSON.stringify(detail)}::jsonb || jsonb_build_object('amount', 1.50, 'large', 12345678901234567890)
        FROM generate_series(1, 6) n, LATERAL (VALUES ('2026-01-01 10:00:00'), ('2026-01-01 10:00:00.12')) AS x(time)`,
    ),
  )
  const place = ['--data-dir', db.databases.options.dataDir]
  const { out } = await runHere('audit', 'export', '--database', 'test', ...place)
  const lines = out.trimEnd().split('\n')
  const check = async (kept: readonly string[], ...options: string[]) => {
    const file = join(folder, 'kept.ndjson')
    writeFileSync(file, kept.map((line) => `${line}\n`).join(''))
    const { code, out: output } = await runHere('audit', 'verify', file, '--json', ...options)
    return [code, ...(JSON.parse(output) as { problems: string[] }).problems]
  }
  const against = ['--database', 'test', ...place]
  assert.deepEqual(await check(lines), [0])
  assert.deepEqual(await check(lines, ...against), [0])
  const order = (text: string) =>
    JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse()))
  const plain = lines.filter((line) => !line.includes('1.50'))
  assert.deepEqual(await check(plain.map(order)), [0], 'members in another order')
  assert.deepEqual(await check([...lines.slice(0, 5), ...lines.slice(2)]), [0], 'a portion that came twice')
  assert.deepEqual(await check(lines.slice(3)), [0], 'from a later place on')
  assert.deepEqual(await check(['{"event": "database.drop", "database": "gone"}', ...lines]), [0])
  const at = lines.length - 3
  const changed = (from: string, to: string) =>
    lines.map((line, n) => (n === at ? line.replace(from, to) : line))
  const broken = `test: Line ${at + 1}, place ${at + 1}: the line was changed, or a line before it was inserted or changed.`
  for (const [from, to] of [
    ['"ann"', '"bob"'],
    ['walk.line', 'walk.other'],
    ['1.50', '1.5'],
    ['12345678901234567890', '12345678901234567891'],
    ['10:00:00', '10:00:01'],
    ['"record" : ', '"record" : 1'],
    ['books', 'looks'],
    ['"aa"', '"ab"'],
  ] as const)
    assert.deepEqual(await check(changed(from, to)), [1, broken], from)
  const missing = `test: Place ${at + 1} has no line.`
  assert.deepEqual(await check(lines.toSpliced(at, 1)), [1, missing])
  const [again] = await check([
    ...lines.slice(0, at),
    ...changed('"ann"', '"bob"').slice(at),
    ...lines.slice(at),
  ])
  assert.equal(again, 1)
  assert.deepEqual(await check([...lines, 'nonsense']), [
    1,
    `Line ${lines.length + 1} is not a line of an audit log.`,
  ])
  // The log itself has an entry about the places that retention removed.
  await db.run((env) =>
    env.execute(
      sql`INSERT INTO comptoir_audit (time, event, detail) VALUES ('2026-01-02', 'audit.trim', jsonb_build_object('positions', jsonb_build_array(jsonb_build_array(${at + 1}::int, ${at + 1}::int))))`,
    ),
  )
  const trimmed = (await runHere('audit', 'export', '--database', 'test', ...place)).out.trimEnd().split('\n')
  assert.deepEqual(await check(trimmed.toSpliced(at, 1)), [0])
  assert.deepEqual(await check(trimmed.toSpliced(at - 1, 1)), [1, `test: Place ${at} has no line.`])
  // Rewriting the chain does not change the copies that receivers kept.
  await db.run(async (env) => {
    await env.query(raw('ALTER TABLE comptoir_audit_seal DISABLE TRIGGER USER'))
    await env.query(raw("UPDATE comptoir_audit_seal SET hash = repeat('a', 64)"))
  })
  assert.match(String((await check(lines, ...against))[1]), /has another hash at position/)
  await db.run((env) => env.query(sql`DELETE FROM comptoir_audit_seal`))
  assert.match(String((await check(lines, ...against))[1]), /has no entry at position/)
  assert.match(String((await check(lines, '--database', 'other', ...place))[1]), /no line of this database/)
  assert.match((await runHere('audit', 'verify', join(folder, 'none'))).err, /none cannot be read/)
})
