// The list of modules in a database, and the build that last updated all of them.
import type { Module } from '../models/index.ts'
import type { Unit } from '../models/language/unit.ts'
import { sql } from '../sql/index.ts'
import { buildId } from './build-id.ts'
import { EXPANDED, setFact, UNFINISHED } from './upgrade/builds.ts'

/** The system parameter that names the build. */
export const RELEASE = 'database.build'

/** Notes that every installed module is as this build has it, and that no upgrade is under way. */
export async function markRelease(unit: Unit): Promise<void> {
  await setFact(unit, EXPANDED, null)
  await setFact(unit, UNFINISHED, null)
  await setFact(unit, RELEASE, buildId())
}

/** Enters all known modules into `ir.module.module`, those given as installed. */
export async function markInstalled(
  unit: Unit,
  knownModules: readonly Module[],
  installed: readonly Module[],
): Promise<void> {
  await enterModules(unit, knownModules)
  const rows = installed.map(({ name, version }) => ({ name, version }))
  await unit.query(sql`UPDATE ir_module_module m SET state = 'installed', latest_version = x.version
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(name text, version text) WHERE m.name = x.name`)
}

/** Notes that modules are not installed any more. */
export async function markUninstalled(unit: Unit, modules: readonly Module[]): Promise<void> {
  const names = modules.map(({ name }) => name)
  await unit.query(
    sql`UPDATE ir_module_module SET state = 'uninstalled', latest_version = NULL WHERE name = ANY(${names}::text[])`,
  )
}

/** Notes that modules brought their demonstration data. */
export async function markDemo(unit: Unit, modules: readonly Module[]): Promise<void> {
  const names = modules.map(({ name }) => name)
  await unit.query(sql`UPDATE ir_module_module SET demo = true WHERE name = ANY(${names}::text[])`)
}

/**
 * Whether the database was made with demonstration data: modules that are installed later bring theirs too
 * (`demo` of `/web/database/create` and `create_database`).
 */
export async function hasDemo(unit: Unit): Promise<boolean> {
  const [row] = await unit.query(sql`SELECT COALESCE(demo, false) FROM ir_module_module WHERE name = 'base'`)
  return row?.[0] === true
}

/**
 * Updates the rows of `ir.module.module` for the known modules; returns the numbers of changed and new rows.
 */
export async function enterModules(
  unit: Unit,
  knownModules: readonly Module[],
): Promise<readonly [updated: number, added: number]> {
  const rows = knownModules.map(({ name, title, summary, author, category, version, application }) => ({
    name,
    title: title ?? readable(name),
    summary,
    author: author ?? null,
    category: category ?? null,
    version,
    application: application ?? false,
  }))
  const source = sql`(SELECT x.name, jsonb_build_object('en_US', x.title) AS shortdesc, jsonb_build_object('en_US', x.summary) AS summary, x.author, x.version, x.application,
      (SELECT d.res_id FROM ir_model_data d WHERE d.model = 'ir.module.category' AND d.module || '.' || d.name = x.category LIMIT 1) AS category
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(name text, title text, summary text, author text, category text, version text, application bool)) AS x`
  const updated =
    await unit.query(sql`UPDATE ir_module_module m SET shortdesc = COALESCE(m.shortdesc, '{}') || x.shortdesc,
      summary = COALESCE(m.summary, '{}') || x.summary, author = x.author, category_id = x.category, installed_version = x.version, application = x.application
    FROM ${source} WHERE m.name = x.name AND (m.shortdesc->>'en_US', m.summary->>'en_US', m.author, m.category_id, m.installed_version, m.application)
      IS DISTINCT FROM (x.shortdesc->>'en_US', x.summary->>'en_US', x.author, x.category, x.version, x.application) RETURNING 1`)
  const added =
    await unit.query(sql`INSERT INTO ir_module_module (name, shortdesc, summary, author, category_id, installed_version, application, state)
    SELECT x.name, x.shortdesc, x.summary, x.author, x.category, x.version, x.application, 'uninstalled' FROM ${source}
    WHERE NOT EXISTS (SELECT FROM ir_module_module m WHERE m.name = x.name) RETURNING 1`)
  await enterDependencies(unit, knownModules)
  return [updated.length, added.length]
}

/** Enters what modules need; a database whose `base` is of an earlier build has no list of it yet. */
async function enterDependencies(unit: Unit, knownModules: readonly Module[]): Promise<void> {
  const [row] = await unit.query(sql`SELECT to_regclass('ir_module_module_dependency') IS NOT NULL`)
  if (row?.[0] !== true) return
  const needs = knownModules.flatMap(({ name, depends }) => depends.map((need) => ({ module: name, need })))
  await unit.query(sql`WITH x AS (
      SELECT m.id AS module_id, d.need AS name FROM jsonb_to_recordset(${JSON.stringify(needs)}::jsonb) AS d(module text, need text)
      JOIN ir_module_module m ON m.name = d.module),
    gone AS (DELETE FROM ir_module_module_dependency d USING ir_module_module m WHERE m.id = d.module_id
      AND m.name = ANY(${knownModules.map(({ name }) => name)}::text[])
      AND NOT EXISTS (SELECT FROM x WHERE x.module_id = d.module_id AND x.name = d.name))
    INSERT INTO ir_module_module_dependency (module_id, name, auto_install_required) SELECT x.module_id, x.name, true FROM x
    WHERE NOT EXISTS (SELECT FROM ir_module_module_dependency d WHERE d.module_id = x.module_id AND d.name = x.name)`)
}

/**
 * Lists exactly the known modules: a template is made by the first process that needs it, which may have
 * known more modules, or fewer.
 */
export async function listOnly(unit: Unit, knownModules: readonly Module[]): Promise<void> {
  await enterModules(unit, knownModules)
  const names = knownModules.map(({ name }) => name)
  await unit.query(
    sql`DELETE FROM ir_module_module WHERE state = 'uninstalled' AND NOT (name = ANY(${names}::text[]))`,
  )
}

/** `shop_gifts` → `Shop Gifts`. */
const readable = (name: string): string =>
  name.replaceAll('_', ' ').replace(/(^| )\p{Ll}/gu, (letter) => letter.toUpperCase())
