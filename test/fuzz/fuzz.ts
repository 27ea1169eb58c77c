// The fuzzer: generated models, data and domains; SQL against memory. Differences are shrunk.
import { modules } from '../../src/main.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import type { Difference } from './compare.ts'
import { makeRows } from './data.ts'
import { makeCase } from './domains.ts'
import { Random } from './random.ts'
import { type Finding, onGround } from './round.ts'
import { makeShape, moduleOf, type Shape } from './shape.ts'
import { shrink } from './shrink.ts'

export interface FuzzOptions {
  readonly domains: number
  readonly seed: number
  readonly shapes: number
  readonly progress?: (done: number) => void
}

export interface Outcome {
  readonly asked: number
  readonly finding: Finding | null
  readonly difference: Difference | null
}

const PER_ROUND = 250

/** A database with the modules of the shapes, named fuzz0, fuzz1, … */
export function openShapes(shapes: readonly Shape[]): Promise<TestDatabase> {
  const base = modules.filter((module) => module.name === 'base')
  return openTestDatabase([...base, ...shapes.map((shape, i) => moduleOf(`fuzz${i}`, shape))])
}

/** Asks generated domains until the number is reached or the readers differ. */
export async function fuzz({ domains, seed, shapes: count, progress }: FuzzOptions): Promise<Outcome> {
  const shapes = Array.from({ length: count }, (_, i) => makeShape(new Random(seed * 1000 + i)))
  const db = await openShapes(shapes)
  try {
    let domainCount = 0
    for (let round = 0; domainCount < domains; round++) {
      const random = new Random(seed * 1_000_003 + round)
      const place = round % count
      const [module, shape] = [`fuzz${place}`, shapes[place] as Shape]
      const rows = makeRows(random, module, shape)
      const foundFinding = await onGround(db, module, shape, rows, async (ground) => {
        for (const model of Object.keys(shape)) {
          const def = ground.env.def(`${module}.${model}`)
          const cases = Array.from({ length: Math.ceil(PER_ROUND / 3) }, () =>
            makeCase(random, def, ground.ids),
          )
          const difference = await ground.ask(model, cases)
          domainCount += cases.length
          if (difference) return { model, ...difference, ids: ground.ids }
        }
        return null
      })
      progress?.(domainCount)
      if (!foundFinding) continue
      const { domain, context } = foundFinding.found
      const finding: Finding = {
        shape,
        rows,
        model: foundFinding.model,
        context,
        domain: placed(domain, foundFinding.ids) as unknown[],
      }
      return {
        asked: domainCount,
        finding: await shrink(finding, (smaller) => differs(db, module, smaller).then(Boolean)),
        difference: foundFinding.difference,
      }
    }
    return { asked: domainCount, finding: null, difference: null }
  } finally {
    await db.close()
  }
}

/** The difference between the readers for a finding, or null. */
export async function differs(
  db: TestDatabase,
  module: string,
  { shape, rows, model, domain, context }: Finding,
): Promise<Difference | null> {
  return onGround(db, module, shape, rows, async ({ ask, ids }) => {
    const difference = await ask(model, [{ domain: named(domain, ids) as unknown[], context }])
    return difference?.difference ?? null
  })
}

/** Ids as places of rows, `{"row": 3}`: other data will have other ids. */
function placed(value: unknown, ids: readonly number[]): unknown {
  if (Array.isArray(value)) return value.map((element) => placed(element, ids))
  return typeof value === 'number' && value > 1 && ids.includes(value) ? { row: ids.indexOf(value) } : value
}

function named(value: unknown, ids: readonly number[]): unknown {
  if (Array.isArray(value)) return value.map((element) => named(element, ids))
  return typeof value === 'object' && value !== null ? (ids[(value as { row: number }).row] ?? 99999) : value
}
