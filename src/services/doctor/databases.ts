// The databases of a server: how text is compared in them, which release they are of, when they were saved.

import { adviceOn, type Databases } from '../../databases/index.ts'
import { messageOf } from '../../kit/caught.ts'
import type { Connection } from '../../postgres/index.ts'
import { contents } from './contents.ts'
import { assess, type Finding, findingsOf } from './finding.ts'

/** Databases that are looked into. */
const MOST = 100
const DAY = 24 * 60 * 60_000

const COLLATIONS = `SELECT datname::text, pg_encoding_to_char(encoding)::text, datcollate::text, datctype::text,
  datcollversion IS DISTINCT FROM pg_database_collation_actual_version(oid) FROM pg_database WHERE datname = ANY($1::text[]) ORDER BY datname`

type Collation = [name: string, encoding: string, collate: string, ctype: string, isOutdated: boolean]

/** `everyContent`: contents of attachments are all compared, and not a sample of them. */
export async function eachDatabase(
  databases: Databases,
  connection: Connection,
  everyContent: boolean,
): Promise<Finding[]> {
  const all = await databases.list()
  const names = all.slice(0, MOST)
  const findings = [
    assess(
      'databases',
      `${all.length} of them${all.length > MOST ? `, the first ${MOST} are looked into` : ''}`,
    ),
  ]
  for (const row of await connection.query(COLLATIONS, [names])) findings.push(collation(row as Collation))
  for (const name of names) findings.push(...(await insideOf(databases, name, everyContent)))
  findings.push(
    ...(await findingsOf('backups', async () =>
      (await databases.facts(names)).map(({ name, backup }) => saved(name, backup)),
    )),
  )
  return findings
}

function collation([name, encoding, collate, ctype, isOutdated]: Collation): Finding {
  const anew = `Recreate the database: comptoir db backup ${name} FILE, then restore it under another name.`
  return assess(
    `collation of ${name}`,
    `${encoding}, ${collate}, ${ctype}`,
    [encoding !== 'UTF8', 'wrong', anew],
    [isOutdated, 'wrong', `A system update changed the order of text: run REINDEX DATABASE "${name}".`],
    [
      collate !== 'C',
      'advice',
      `The collation differs from that of databases created by this server, and sorting is slower. ${anew}`,
    ],
  )
}

function saved(name: string, backup: string | null): Finding {
  const age = backup === null ? null : (Date.now() - Date.parse(backup)) / DAY
  return assess(
    `backup of ${name}`,
    age === null ? 'the audit log has no backup' : `${Math.floor(age)} days old`,
    [
      age === null || age > 7,
      'advice',
      `comptoir db backup ${name} FILE, every night; or another way that you have tried.`,
    ],
  )
}

async function insideOf(
  databases: Databases,
  name: string,
  everyContent: boolean,
): Promise<readonly Finding[]> {
  const check = `release of ${name}`
  try {
    return await databases.visit(name, async (database) => {
      const advice = await adviceOn(name, database.pool, databases.options.modules)
      const build = advice ? 'does not match this build' : 'as this build'
      const release = assess(check, build, [advice !== null, 'advice', advice ?? ''])
      return [release, ...(await findingsOf(`contents of ${name}`, () => contents(database, everyContent)))]
    })
  } catch (error) {
    const change = 'Restore its last backup under another name, or drop it if it is not a Comptoir database.'
    return [assess(check, `it cannot be opened: ${messageOf(error)}`, [true, 'wrong', change])]
  }
}
