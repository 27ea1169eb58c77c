// Fields of a product that mirror its single variant: empty with several, and written through to the one
// there is (spec/business-models.md section 2).
import { computed, type Environment } from '#models'
import { singleSql } from './product-sql.ts'
import { template } from './template.contract.ts'

/** Fields that a product shows of its variant. */
export const mirrored = ['standard_price', 'default_code', 'barcode', 'weight', 'volume'] as const
type Mirrored = (typeof mirrored)[number]

/** The one that counts: the only active variant, else the only one there is while none is active. */
export function singleOf<V extends { readonly active: boolean }>(variants: readonly V[]): V | undefined {
  const active = variants.filter((variant) => variant.active)
  if (active.length) return active.length === 1 ? active[0] : undefined
  return variants.length === 1 ? variants[0] : undefined
}

/** Writes values through to products' single variants; where there are several the values are ignored. */
async function writeThrough(
  env: Environment,
  field: Mirrored,
  values: ReadonlyMap<number, unknown>,
): Promise<void> {
  const templates = env.model('product.template').browse([...values.keys()])
  const written = new Map<number, { readonly [field: string]: unknown }>()
  for (const template of await templates.load(['every_variant_ids.active'])) {
    const variant = singleOf(template.every_variant_ids)
    if (variant) written.set(variant.id, { [field]: values.get(template.id) })
  }
  await env.model('product.product').writeEach(written)
}

const options = (field: Mirrored) => ({
  inverse: (env: Environment, values: ReadonlyMap<number, unknown>) => writeThrough(env, field, values),
  search: (operator: string, value: unknown) => [[`product_variant_ids.${field}`, operator, value]],
})

export const standardPrice = computed(
  template,
  ['every_variant_ids.active', 'every_variant_ids.standard_price'],
  (template) => singleOf(template.every_variant_ids)?.standard_price ?? 0,
  { ...options('standard_price'), sql: (scope) => singleSql(scope, 'standard_price') },
)
export const barcode = computed(
  template,
  ['every_variant_ids.active', 'every_variant_ids.barcode'],
  (template) => singleOf(template.every_variant_ids)?.barcode ?? null,
  { ...options('barcode'), sql: (scope) => singleSql(scope, 'barcode') },
)
export const defaultCode = computed(
  template,
  ['every_variant_ids.active', 'every_variant_ids.default_code'],
  (template) => singleOf(template.every_variant_ids)?.default_code ?? null,
  options('default_code'),
)
export const weight = computed(
  template,
  ['every_variant_ids.active', 'every_variant_ids.weight'],
  (template) => singleOf(template.every_variant_ids)?.weight ?? 0,
  options('weight'),
)
export const volume = computed(
  template,
  ['every_variant_ids.active', 'every_variant_ids.volume'],
  (template) => singleOf(template.every_variant_ids)?.volume ?? 0,
  options('volume'),
)
