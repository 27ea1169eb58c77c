// One round: rows in the tables of a shape, and many domains over them through both readers. Removes
// everything it created.

import type { Environment } from '../../src/models/index.ts'
import { unrestricted } from '../../src/models/rights/tables.ts'
import { environmentOf } from '../../src/models/unit/environment.ts'
import { SYSTEM } from '../../src/models/unit/options.ts'
import { UnitOfWork } from '../../src/models/unit/unit.ts'
import type { TestDatabase } from '../support/databases.ts'
import { type Difference, difference, isFault } from './compare.ts'
import { putRows, type Row } from './data.ts'
import type { Case } from './domains.ts'
import { World } from './facts.ts'
import type { Shape } from './shape.ts'

/** A domain about which the readers differ, with all it takes to see it again. */
export interface Finding extends Case {
  readonly shape: Shape
  readonly rows: readonly Row[]
  /** Key of the model. */
  readonly model: string
}

/** The rows of a round, in the database, and a way to ask about domains over them. */
export interface Ground {
  readonly env: Environment
  readonly world: World
  readonly ids: readonly number[]
  /** Asks one domain after the other; gives the first about which the readers differ. */
  ask(
    model: string,
    cases: readonly Case[],
  ): Promise<{ readonly found: Case; readonly difference: Difference } | null>
}

class Undone extends Error {}

/** Runs `work` as the system over rows that are gone afterwards, in a database where French is spoken. */
export async function onGround<T>(
  db: TestDatabase,
  module: string,
  shape: Shape,
  rows: readonly Row[],
  work: (ground: Ground) => Promise<T>,
): Promise<T> {
  const rights = { ...unrestricted, languages: new Set(['en_US', 'fr_FR']) }
  const unit = new UnitOfWork(db.database.pool, db.database.registry, rights, { readonly: false })
  const env = environmentOf(unit, SYSTEM, { active_test: false }, true)
  try {
    const ids = await putRows(env, module, rows)
    const models = Object.keys(shape).map((key) => env.def(`${module}.${key}`))
    const world = await World.read(env, models)
    return await work({
      env,
      world,
      ids,
      ask: (model, cases) => ask(env, world, env.def(`${module}.${model}`), cases),
    })
  } finally {
    await unit.rollback()
  }
}

async function ask(
  env: Environment,
  world: World,
  model: ReturnType<Environment['def']>,
  cases: readonly Case[],
) {
  const pass = async (guarded: boolean) => {
    for (const [i, domainCase] of cases.entries()) {
      const disagreement = await difference(env, world, model, domainCase, {
        filtering: i % 4 === 0,
        guarded,
      })
      if (
        disagreement &&
        !guarded &&
        [disagreement.sql, disagreement.memory, disagreement.filtered].some(isFault)
      )
        throw new Undone('an error of PostgreSQL')
      if (disagreement) return { found: domainCase, difference: disagreement }
    }
    return null
  }
  try {
    return await env.unit.savepoint(() => pass(false))
  } catch (error) {
    if (!(error instanceof Undone)) throw error
    return pass(true)
  }
}
