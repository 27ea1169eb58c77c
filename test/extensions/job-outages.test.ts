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
const CUT_CLAIMS = 4

test('jobs: an outage of PostgreSQL is no attempt, and what was accepted is done once', async () => {
  // Connections that insert the record break, for as long as the job was claimed so often.
  await nodes.run(({ unit }) =>
    unit.query(
      raw(`DO $do$ BEGIN
        CREATE FUNCTION cut_job() RETURNS trigger LANGUAGE plpgsql AS $cut$ BEGIN
          IF (SELECT max(lease_no) FROM comptoir_job) <= ${CUT_CLAIMS} THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
          RETURN NEW; END $cut$;
        CREATE TRIGGER cut_job BEFORE INSERT ON res_partner FOR EACH ROW WHEN (NEW.name = 'Cut off') EXECUTE FUNCTION cut_job();
      END $do$`),
    ),
  )
  const vals_list = [{ name: 'Cut off' }]
  const { status } = await nodes.call('res.partner/create', { vals_list }, { prefer: 'respond-async' })
  assert.equal(status, 202)
  const look = () =>
    nodes.run(({ unit }) => unit.query(sql`SELECT state, attempts, lease_no, status FROM comptoir_job`))
  let [job = []] = await look()
  while (['queued', 'running'].includes(job[0] as string)) {
    await sleep(50)
    ;[job = []] = await look()
  }
  assert.deepEqual(job, ['done', 1, CUT_CLAIMS + 1, 200])
  const partners = await nodes.call('res.partner/search_count', { domain: [['name', '=', 'Cut off']] })
  assert.equal(partners.body, 1)
})
