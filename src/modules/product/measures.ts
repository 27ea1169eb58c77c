// Names of the units that weights, volumes and lengths are in: metric ones, unless the settings choose those
// of the United States. A volume in cubic feet has its lengths in feet.
import { type Contract, computedTogether, type Environment, type ModelName } from '#models'
import { only } from '../../kit/present.ts'
import { type Sql, sql } from '../../sql/index.ts'

export const WEIGHT_IN_POUNDS = 'product.weight_in_lbs'
export const VOLUME_IN_CUBIC_FEET = 'product.volume_in_cubic_feet'

const measures = {
  weight: { parameter: WEIGHT_IN_POUNDS, metric: 'product_uom_kgm', customary: 'product_uom_lb' },
  volume: {
    parameter: VOLUME_IN_CUBIC_FEET,
    metric: 'product_uom_cubic_meter',
    customary: 'product_uom_cubic_foot',
  },
  length: {
    parameter: VOLUME_IN_CUBIC_FEET,
    metric: 'product_uom_millimeter',
    customary: 'product_uom_foot',
  },
} as const
type Measure = (typeof measures)[keyof typeof measures]

/** The name of the unit of a measure in the caller's language, as a subquery. */
const unitName = (env: Environment, { parameter, metric, customary }: Measure): Sql =>
  sql`(SELECT COALESCE(u.name->>${env.lang}::text, u.name->>'en_US') FROM ir_model_data d JOIN uom_uom u ON u.id = d.res_id
    WHERE d.module = 'uom' AND d.model = 'uom.uom' AND d.name = CASE WHEN EXISTS (SELECT FROM ir_config_parameter p
      WHERE p.key = ${parameter} AND p.value = '1') THEN ${customary}::text ELSE ${metric}::text END)`

/** A computed field with that name: the same for all records. */
export const unitNameField = <N extends ModelName>(on: Contract<N>, measure: keyof typeof measures) =>
  computedTogether(
    on,
    [],
    async (records, env) => {
      const [name] = only(
        await env.rows(sql`SELECT ${unitName(env, measures[measure])}`, {
          reads: ['ir.model.data', 'uom.uom', 'ir.config_parameter'],
          row: ['text?'],
        }),
      )
      return new Map(records.map(({ id }) => [id, name]))
    },
    { context: ['lang'], searchable: false, sql: (scope) => unitName(scope.env, measures[measure]) },
  )
