// Display names of the records that messages and activities are about, of those that the caller may read.
import type { Environment, ModelName } from '#models'

interface About {
  readonly id: number
  readonly place: string | null
  readonly record: number
}

export async function recordNames(
  rows: readonly About[],
  env: Environment,
): Promise<Map<number, string | null>> {
  const names = new Map<number, string | null>()
  for (const [name, about] of Map.groupBy(rows, ({ place }) => place ?? '')) {
    if (!env.unit.registry.get(name)?.hasTable) continue
    const ids = [...new Set(about.map(({ record }) => record))]
    const all = env.withContext({ active_test: false }).model(name as ModelName)
    if (!(await all.invoke('has_access', { operation: 'read' }))) continue
    const shown: readonly { readonly id: number; readonly display_name: string }[] = await (
      await all.search([['id', 'in', ids]] as never)
    ).load(['display_name'] as never)
    const byId = new Map(shown.map((record) => [record.id, record.display_name]))
    for (const { id, record } of about) names.set(id, byId.get(record) ?? null)
  }
  return names
}
