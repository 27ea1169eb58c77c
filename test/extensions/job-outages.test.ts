// Jobs while PostgreSQL goes away: what was accepted is done, however often the connection breaks.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { modules } from '../../src/main.ts'
import { raw, sql } from '../../src/sql/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ count: 1, known: modules.filter(({ name }) => name === 'base') })
})
after(() => nodes?.close())

/** More claims than the attempts after which a job fails whose nodes are lost. */
const BROKEN_CLAIMS = 4

/** Runs a body of PL/pgSQL before rows of a table are written, for which a condition holds. */
const addTrigger = (name: string, on: string, when: string, body: string) =>
  nodes.run(({ unit }) =>
    unit.query(
      raw(`DO $do$ BEGIN
        CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN ${body} RETURN NEW; END $body$;
        CREATE TRIGGER ${name} BEFORE ${on} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${name}();
      END $do$`),
    ),
  )

/** Has a contact created by a job. */
async function queue(name: string): Promise<void> {
  const vals_list = [{ name }]
  const { status } = await nodes.call('res.partner/create', { vals_list }, { prefer: 'respond-async' })
  assert.equal(status, 202)
}

/** State, attempts, claims and status of the last job, once it has ended. */
async function ended(): Promise<readonly unknown[]> {
  const look = () =>
    nodes.run(({ unit }) =>
      unit.query(
        sql`SELECT state, attempts, lease_no, status FROM comptoir_job ORDER BY created DESC LIMIT 1`,
      ),
    )
  let [job = []] = await look()
  while (['queued', 'running'].includes(job[0] as string)) {
    await sleep(50)
    ;[job = []] = await look()
  }
  return job
}

const countOf = async (name: string) =>
  (await nodes.call('res.partner/search_count', { domain: [['name', '=', name]] })).body

const BREAK = 'PERFORM pg_terminate_backend(pg_backend_pid());'

for (const [what, trigger, breaks] of [
  ['an outage of PostgreSQL', 'break_line', BREAK],
  ['a full disk', 'fill_disk', `RAISE EXCEPTION 'no room' USING ERRCODE = 'disk_full';`],
] as const)
  test(`jobs: ${what} is no attempt, and what was accepted is done once`, async () => {
    const name = `Despite ${what}`
    const broken = `IF (SELECT lease_no FROM comptoir_job ORDER BY created DESC LIMIT 1) <= ${BROKEN_CLAIMS} THEN ${breaks} END IF;`
    await addTrigger(trigger, 'INSERT ON res_partner', `NEW.name = '${name}'`, broken)
    await queue(name)
    assert.deepEqual(await ended(), ['done', 1, BROKEN_CLAIMS + 1, 200])
    assert.equal(await countOf(name), 1)
  })

test('jobs: a statement that runs out of time is tried three times in all', async () => {
  const late = (claims: number) =>
    `IF (SELECT lease_no FROM comptoir_job ORDER BY created DESC LIMIT 1) <= ${claims} THEN RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = 'query_canceled'; END IF;`
  await addTrigger('stand_still', 'INSERT ON res_partner', `NEW.name = 'After a stall'`, late(2))
  await queue('After a stall')
  assert.deepEqual(await ended(), ['done', 3, 3, 200])
  await addTrigger('be_slow', 'INSERT ON res_partner', `NEW.name = 'Always slow'`, late(9))
  await queue('Always slow')
  assert.deepEqual(await ended(), ['failed', 3, 3, 413])
  assert.equal(await countOf('Always slow'), 0)
})

test('jobs: one that conflicts with others until its repetitions are over is tried again', async () => {
  const conflict = `IF (SELECT lease_no FROM comptoir_job ORDER BY created DESC LIMIT 1) < 2 THEN RAISE EXCEPTION 'could not serialize access' USING ERRCODE = 'serialization_failure'; END IF;`
  await addTrigger('conflict', 'INSERT ON res_partner', `NEW.name = 'Against others'`, conflict)
  await queue('Against others')
  assert.deepEqual(await ended(), ['done', 2, 2, 200])
  assert.equal(await countOf('Against others'), 1)
})

test('jobs: a claim whose answer was lost is no attempt, and does not wait for the end of its lease', async () => {
  await queue('Before')
  await ended()
  await addTrigger('break_claims', 'UPDATE ON comptoir_job', `NEW.state = 'running'`, BREAK)
  await queue('Claimed unheard')
  await sleep(100)
  // The trigger breaks claims of the worker before they are made; this one is made, and its answer is lost.
  await nodes.run(async ({ unit }) => {
    await unit.query(raw('DROP TRIGGER break_claims ON comptoir_job'))
    await unit.query(sql`UPDATE comptoir_job SET state = 'running', attempts = 1, lease_no = 1, claimed = now(),
        claimed_by = (SELECT claimed_by FROM comptoir_job WHERE state = 'done' LIMIT 1) WHERE state = 'queued'`)
    await unit.query(
      sql`INSERT INTO comptoir_job_lease (job, until) SELECT id, now() + interval '1 hour' FROM comptoir_job WHERE state = 'running'`,
    )
  })
  assert.deepEqual(await ended(), ['done', 1, 2, 200])
  assert.equal(await countOf('Claimed unheard'), 1)
})

test('jobs: a worker that takes a job up again that it still runs lets the later run end', async () => {
  // After the test before, the worker returns jobs that it does not run. The first run conflicts with the
  // second, and fails when it is repeated, which is the third time.
  await nodes.run(({ unit }) => unit.query(raw('CREATE SEQUENCE runs')))
  const idle = `IF nextval('runs') < 3 THEN PERFORM pg_sleep(3); END IF;`
  await addTrigger('be_idle', 'INSERT ON res_partner', `NEW.name = 'Taken up again'`, idle)
  await queue('Taken up again')
  await sleep(1000)
  await nodes.run(({ unit }) =>
    unit.query(sql`WITH job AS (UPDATE comptoir_job SET claimed = now() - interval '1 hour' WHERE state = 'running' RETURNING id)
      UPDATE comptoir_job_lease SET until = now() - interval '1 hour' WHERE job IN (SELECT id FROM job)`),
  )
  assert.deepEqual(await ended(), ['done', 2, 2, 200])
  assert.equal(await countOf('Taken up again'), 1)
})
