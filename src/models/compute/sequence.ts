// Names of the sequences of ids: a look-up by table costs PostgreSQL a twentieth of the creation of a
// contact, and is done once for a database and its models. Names and not object ids: those differ once a
// database was moved to another server with the same address.
import { oncePer } from '../../kit/once-per.ts'
import { literal, sql } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Question } from '../language/flush-parts.ts'
import type { Unit } from '../language/unit.ts'

/** As expressions, by database and model: a table that is made anew comes with other models. */
const sequencesIn = oncePer((_database: object) => new WeakMap<ModelDef, string>())

const knownOf = ({ database }: Pick<Unit, 'database'>, model: ModelDef): string | undefined =>
  sequencesIn(database).get(model)

/** A model's sequence, as an expression. */
export const sequenceOf = ({ unit }: Pick<Environment, 'unit'>, model: ModelDef): string =>
  knownOf(unit, model) ?? `${searched(model)}::regclass`

const searched = ({ table }: ModelDef): string =>
  sql`pg_get_serial_sequence(${literal(`"${table}"`)}, 'id')`.compile().text

/**
 * The question for one id and the name of its sequence, as texts; null where that is known. `shown`: the
 * expression of the id.
 */
export function firstQuestion(
  { unit }: Environment,
  model: ModelDef,
  shown: (id: string) => string,
): Question | null {
  if (knownOf(unit, model) !== undefined) return null
  const sequenceName = `(SELECT ${searched(model)} AS name OFFSET 0) AS s`
  const drawn = `(SELECT nextval(s.name::regclass), s.name FROM ${sequenceName}) AS i(id, name)`
  return { column: `(SELECT ARRAY[(${shown('i.id')})::text, i.name] FROM ${drawn})`, values: [] }
}

/** Those of some models whose sequences are not known by name. */
export const unnamedOf = ({ unit }: Environment, models: readonly ModelDef[]): readonly ModelDef[] =>
  models.filter((model) => knownOf(unit, model) === undefined)

/** Their names, a list of texts, as an expression. */
export const namesOf = (models: readonly ModelDef[]): string => `ARRAY[${models.map(searched).join(', ')}]`

/** Keeps a name as PostgreSQL returned it. */
export function noteSequence({ unit: { database } }: Environment, model: ModelDef, name: string): void {
  sequencesIn(database).set(model, `${literal(name).compile().text}::regclass`)
}
