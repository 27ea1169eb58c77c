// Changes of a form when a country or state is chosen: the two always agree (spec/models-api.md section
// 5, "onchange").
import type { Environment, Onchange } from '#models'

/** The id of a many2one as a form holds it. */
export function chosen(value: unknown): number | null {
  if (typeof value === 'number') return value || null
  if (Array.isArray(value)) return chosen(value[0])
  return typeof value === 'object' && value !== null ? chosen((value as { id?: unknown }).id) : null
}

async function countryOf(env: Environment, state: number): Promise<number | null> {
  const [stateRow] = await env.model('res.country.state').browse([state]).load(['country_id'])
  return stateRow?.country_id.id ?? null
}

/** For a model whose fields are called `country` and `state`. */
export function placeChanges(country: string, state: string): Onchange[] {
  return [
    {
      fields: [country],
      run: async (values, env) => {
        const [countryId, stateId] = [chosen(values[country]), chosen(values[state])]
        return stateId && countryId && (await countryOf(env, stateId)) !== countryId ? { [state]: false } : {}
      },
    },
    {
      fields: [state],
      run: async (values, env) => {
        const stateId = chosen(values[state])
        const countryId = stateId && (await countryOf(env, stateId))
        return countryId && countryId !== chosen(values[country]) ? { [country]: countryId } : {}
      },
    },
  ]
}
