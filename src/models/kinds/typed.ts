// The typed form of values: null for unset, moments with their time zone, decimals as exact text.
// Converts to and from it.
import { IANAZone } from 'luxon'
import { isMoment } from '../../kit/dates.ts'
import { literal, type Sql, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Typed } from '../language/preferences.ts'
import { unsetIn } from './shared.ts'

/** A moment of UTC in RFC 3339. Historic zones with offsets in seconds are rounded to minutes. */
export function momentSql(moment: Sql, { zone }: Typed): Sql {
  if (zone === null) return sql`to_char(${moment}, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
  const away = sql`date_trunc('minute', (m.at AT TIME ZONE 'UTC' AT TIME ZONE ${literal(zone)}) - m.at)`
  return sql`(SELECT to_char(m.at + o.away, 'YYYY-MM-DD"T"HH24:MI:SS') || CASE WHEN o.away < '0' THEN to_char(-o.away, '"-"HH24:MI') ELSE to_char(o.away, '"+"HH24:MI') END
    FROM (SELECT ${moment} AS at) AS m CROSS JOIN LATERAL (SELECT ${away} AS away) AS o)`
}

/** A number with at least `scale` digits after the point, and all that it has; `scale` may be NULL. */
export function decimalSql(value: Sql, scale: Sql): Sql {
  return sql`(SELECT round(d.n, GREATEST(scale(trim_scale(d.n)), d.s))::text FROM (SELECT COALESCE(${value}, 0)::numeric AS n, ${scale}::int AS s) AS d)`
}

/** `YYYY-MM-DD HH:MM:SS` of UTC in RFC 3339. */
function momentText(moment: string, { zone }: Typed): string {
  if (zone === null) return `${moment.slice(0, 10)}T${moment.slice(11, 19)}Z`
  const at = Date.parse(`${moment.slice(0, 10)}T${moment.slice(11, 19)}Z`)
  const away = Math.trunc(IANAZone.create(zone).offset(at))
  const [hours, minutes] = [Math.trunc(Math.abs(away) / 60), Math.abs(away) % 60]
  const two = (number: number) => String(number).padStart(2, '0')
  const local = new Date(at + away * 60_000).toISOString().slice(0, 19)
  return `${local}${away < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`
}

/** A number as exact text with at least `scale` digits after the point. */
export function decimalText(value: number, scale: number): string {
  const plain = /e/.test(String(value))
    ? value.toFixed(Math.max(scale, 20)).replace(/0+$/, '')
    : String(value)
  const [whole = '0', digits = ''] = plain.split('.')
  const all = digits.padEnd(scale, '0')
  return all ? `${whole}.${all}` : whole
}

/**
 * Converts the documented form of a value to the typed form; records and amounts are converted by their
 * readers.
 */
export function typedValue(field: FieldDef, wire: unknown, typed: Typed): unknown {
  if (wire === false || wire === null || wire === undefined)
    return unsetIn(field, typed) === null ? null : wire
  return field.type.typedAs === 'moment' && typeof wire === 'string' ? momentText(wire, typed) : wire
}

const RFC3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.\d{1,9})?([Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/

/** RFC 3339 with any offset as `YYYY-MM-DD HH:MM:SS` of UTC; other text as it is. */
function utcOf(text: string): string {
  const [, day, time, zone, sign, hours, minutes] = RFC3339.exec(text) ?? []
  if (!zone || !isMoment(`${day} ${time}`)) return text
  const away = sign ? (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1) : 0
  const at = new Date(Date.parse(`${day}T${time}Z`) - away * 60_000)
  const year = at.getUTCFullYear()
  return year < 1 || year > 9999 ? text : at.toISOString().slice(0, 19).replace('T', ' ')
}

/** Converts a value in typed form to the documented form; other values are returned as they are. */
export function untyped(field: FieldDef, value: unknown): unknown {
  const { typedAs } = field.type
  if (typedAs === 'moment') return typeof value === 'string' ? utcOf(value) : value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { id, model } = value as { id?: unknown; model?: unknown }
  if (typedAs === 'record' && id !== undefined) return id
  return typedAs === 'reference' && typeof model === 'string' && id !== undefined ? `${model},${id}` : value
}
