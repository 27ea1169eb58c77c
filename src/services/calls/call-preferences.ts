// Applies the preferences of a request: dry run, run only for a version of the records, return the version.
import { UnprocessableEntity } from '../../errors.ts'
import type { MethodDef, ModelDef } from '../../models/language/definitions.ts'
import type { FileStore } from '../../models/language/outside.ts'
import type { Unit } from '../../models/language/unit.ts'
import type { Bound } from '../../models/methods/bind.ts'
import { RecordsetBase } from '../../models/read/recordset.ts'
import type { RequestPreferences } from '../request.ts'
import { idsIn, versionsOf } from './versions.ts'

/** The error for a dry run of a method that cannot be rolled back. */
const isLasting = ({ name }: MethodDef, model: ModelDef) =>
  new UnprocessableEntity(
    `${name} of ${model.name} does not support dry runs: its effect cannot be rolled back.`,
    {
      code: 'not_in_dry_run',
    },
  )

/**
 * Throws UnprocessableEntity for the rehearsal of a method whose effect cannot be taken back; `unit`, once it
 * ran: it changed modules.
 */
export function assertReversible(
  asks: RequestPreferences | null | undefined,
  model: ModelDef,
  method: MethodDef,
  unit?: Unit,
): void {
  if (asks?.dryRun && (method.lasting || unit?.ending.moduleChange)) throw isLasting(method, model)
}

/**
 * Throws UnprocessableEntity where a call within a batch changed modules: that ends its transaction itself.
 */
export function assertInBatch({ ending }: Pick<Unit, 'ending'>, model: ModelDef, { name }: MethodDef): void {
  if (ending.moduleChange)
    throw new UnprocessableEntity(`${name} of ${model.name} cannot be part of a batch.`, {
      code: 'not_in_batch',
    })
}

/** A file store for dry runs: contents go into the database and are rolled back; no file is written. */
export const keepingNone = (files: FileStore): FileStore => ({
  keeps: false,
  put: (content) => files.put(content),
  get: (key) => files.get(key),
  size: (key) => files.size(key),
  open: (key, start, end) => files.open(key, start, end),
})

/** Generic methods whose rows, or ids, are records of the model. */
const listing = new Set(['read', 'web_read', 'search_read', 'search'])

/** Generic methods that make or change records and name them in rows. */
const naming = new Set(['web_save', 'upsert', 'name_create', 'load'])

/** Whether a method is about records that have versions: those that it reads, creates or changes. */
export function returnsVersions(
  { readonly, module, name, level, returns }: MethodDef,
  model: ModelDef,
): boolean {
  if (!model.hasTable) return false
  if (module === 'core' && (listing.has(name) || naming.has(name))) return true
  return !readonly && (returns?.type === 'records' || (level === 'records' && name !== 'unlink'))
}

/**
 * Headers with the versions of the records that a call read, made or changed; null where it is about none.
 */
export function versionsFor(
  unit: Unit,
  {
    model,
    method,
    bound,
    result,
    json,
  }: { model: ModelDef; method: MethodDef; bound: Bound; result: unknown; json: string },
): Promise<Readonly<Record<string, string>>> | null {
  if (!returnsVersions(method, model)) return null
  const ids =
    method.module === 'core' && (method.readonly || naming.has(method.name))
      ? idsIn(json)
      : result instanceof RecordsetBase && result.def === model
        ? result.ids
        : bound.ids
  if (ids.length === 0) return null
  const versions = versionsOf(unit, model, ids)
  // Awaited after the commit. If that fails, no caller awaits it, and the rejection is not an error.
  versions.catch(() => undefined)
  return versions
}

/** Reports the applied preferences. */
export function reportApplied(
  asks: RequestPreferences,
  headers: Readonly<Record<string, string>> | null,
): void {
  // Records that the call removed have no version.
  if (!headers?.etag) return
  asks.tell('preference-applied', 'etag')
  for (const [name, value] of Object.entries(headers)) asks.tell(name, value)
}
