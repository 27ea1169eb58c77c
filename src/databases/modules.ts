// The list of modules as a database keeps it, and the build that brought all of them up to date.
import type { Module } from '../models/index.ts'
import type { Unit } from '../models/unit.ts'
import { sql } from '../sql/index.ts'
import { buildId } from './build-id.ts'

/** The system parameter that names the build. */
export const RELEASE = 'database.build'

/** Notes that every installed module is as this build has it. */
export async function markRelease(unit: Unit): Promise<void> {
  await unit.query(sql`DELETE FROM ir_config_parameter WHERE key = ${RELEASE}`)
  await unit.query(sql`INSERT INTO ir_config_parameter (key, value) VALUES (${RELEASE}, ${buildId()})`)
}

/** Enters all known modules into `ir.module.module`, those given as installed. */
export async function markInstalled(unit: Unit, known: readonly Module[], installed: readonly Module[]): Promise<void> {
  const rows = known.map((module) => ({
    name: module.name,
    summary: module.summary,
    version: module.version,
    state: installed.includes(module) ? 'installed' : 'uninstalled',
  }))
  const source = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(name text, summary text, version text, state text)`
  await unit.query(
    sql`UPDATE ir_module_module m SET state = x.state, latest_version = x.version FROM ${source} WHERE m.name = x.name AND x.state = 'installed'`,
  )
  await unit.query(sql`INSERT INTO ir_module_module (name, shortdesc, summary, state, latest_version)
    SELECT x.name, jsonb_build_object('en_US', x.name), jsonb_build_object('en_US', x.summary), x.state, CASE WHEN x.state = 'installed' THEN x.version END FROM ${source}
    WHERE NOT EXISTS (SELECT FROM ir_module_module m WHERE m.name = x.name)`)
}
