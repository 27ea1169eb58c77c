// Copies of databases: a copy gets an identity of its own and, when neutralized, contacts no other system.

import { passingTables, renewFeed } from '../models/changes/tables.ts'
import type { Environment, Module } from '../models/index.ts'
import { id, raw, sql } from '../sql/index.ts'

/**
 * New `database.uuid` and secret (spec/wire.md section 13, duplicate); sessions of the original are not valid
 * in the copy.
 */
export async function renew(env: Environment): Promise<void> {
  await settleCounters(env)
  await env.query(sql`DELETE FROM browser_session`)
  await forgetPassing(env)
  for (const key of ['database.uuid', 'database.secret']) await setParameter(env, key, crypto.randomUUID())
}

/**
 * Deletes data kept for callers of the other database: their retries must not find it. A database of an
 * earlier build may not have the tables yet.
 */
export async function forgetPassing(env: Environment): Promise<void> {
  const rows = await env.query<[string]>(
    sql`SELECT name FROM unnest(${[...passingTables]}::text[]) AS t(name) WHERE to_regclass(name) IS NOT NULL`,
  )
  for (const [name] of rows) await env.query(sql`DELETE FROM ${id(name)}`)
  if (rows.length) await env.query(raw(renewFeed))
}

/**
 * Sets all sequences to their current values, before they are used in the copy. PostgreSQL logs that a
 * sequence advances 32 values in advance. CREATE DATABASE copies the rest of these values, but not the log
 * record: after a crash the copy would give the same values again, as ids and as numbers of documents.
 */
async function settleCounters(env: Environment): Promise<void> {
  await env.query(sql`SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, last_value) FROM pg_sequences
    WHERE schemaname = 'public' AND last_value IS NOT NULL`)
}

/** Every installed module runs its declared steps; the parameter `database.is_neutralized` is set. */
export async function neutralize(env: Environment, modules: readonly Module[]): Promise<void> {
  const installed = new Set(env.unit.registry.modules)
  for (const module of modules) if (installed.has(module.name)) await module.neutralize?.(env)
  await setParameter(env, 'database.is_neutralized', 'true')
}

/** Sets a system parameter, made when it is not there. */
export async function setParameter(env: Environment, key: string, value: string): Promise<void> {
  await env.query(sql`DELETE FROM ir_config_parameter WHERE key = ${key}`)
  await env.query(sql`INSERT INTO ir_config_parameter (key, value) VALUES (${key}, ${value})`)
}
