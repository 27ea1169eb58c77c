// Pages over tables with very many rows, where conditions about the few are answered first (read/of-few.ts):
// the same records in the same order, or the same refusal, as where no table is said to have that many.
import { ServiceError } from '../../src/errors.ts'
import type { Environment } from '../../src/models/index.ts'
import { makeOrder } from './asks.ts'
import { makeRows } from './data.ts'
import { type Case, makeCase } from './domains.ts'
import { type FuzzOptions, openShapes } from './fuzz.ts'
import { Random } from './random.ts'
import { onGround } from './round.ts'
import { makeShape, type Shape } from './shape.ts'

interface Page extends Case {
  readonly model: string
  readonly order: string | null
  readonly limit: number
  readonly offset: number
}

export interface FewOutcome {
  readonly asked: number
  /** Pages with something on them. */
  readonly found: number
  readonly finding: (Page & { readonly usual: string; readonly large: string }) | null
}

const PER_MODEL = 40

/** Every model of it may be what another's conditions are about. */
const ofDictionaries = (shape: Shape): Shape =>
  Object.fromEntries(
    Object.entries(shape).map(([key, { options, fields }]) => [
      key,
      { options: { ...options, dictionary: true }, fields },
    ]),
  )

/** Asks for generated pages until the number is reached or the answers differ. */
export async function fuzzFew({ domains, seed, shapes: many }: FuzzOptions): Promise<FewOutcome> {
  const shapes = Array.from({ length: many }, (_, i) =>
    ofDictionaries(makeShape(new Random(seed * 1000 + i))),
  )
  const db = await openShapes(shapes)
  const large = db.database.registry.large as Set<string>
  let [count, matches] = [0, 0]
  try {
    for (let round = 0; count < domains; round++) {
      const random = new Random(seed * 1_000_003 + round)
      const [module, shape] = [`fuzz${round % many}`, shapes[round % many] as Shape]
      const finding = await onGround(
        db,
        module,
        shape,
        makeRows(random, module, shape),
        async ({ env, ids }) => {
          for (const key of Object.keys(shape)) {
            const model = env.def(`${module}.${key}`)
            const others = Object.keys(shape).map((key) => env.def(`${module}.${key}`).table)
            for (let i = 0; i < PER_MODEL && count < domains; i++, count++) {
              const page: Page = {
                ...makeCase(random, model, ids),
                model: model.name,
                order: random.chance(0.5) ? makeOrder(random, model).order : null,
                limit: random.pick([1, 3, 80]),
                offset: random.pick([0, 0, 1, 2]),
              }
              const usual = await said(env, page)
              for (const table of random.chance(0.2) ? others : [model.table]) large.add(table)
              const answer = await said(env, page)
              large.clear()
              if (/^\d/.test(usual)) matches++
              if (usual !== answer) return { ...page, usual, large: answer }
            }
          }
          return null
        },
      )
      if (finding) return { asked: count, found: matches, finding }
    }
    return { asked: count, found: matches, finding: null }
  } finally {
    await db.close()
  }
}

/** Ids in their order, or why there are none. */
async function said(env: Environment, { model, domain, context, ...window }: Page): Promise<string> {
  const inside = env.withContext({ active_test: true, ...context })
  try {
    return await env.unit.savepoint(async () =>
      (await inside.model(model as 'res.partner').search(domain as never, window as never)).ids.join(),
    )
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return `refused: ${error.message}`
    return `fault: ${error instanceof Error ? error.message : String(error)}`
  }
}
