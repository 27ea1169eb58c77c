// Rules of pricelists as plain data, and which of them applies to a product and a quantity
// (spec/business-models.md section 3, "Which rule").

export interface Rule {
  readonly id: number
  readonly level: '0_product_variant' | '1_product' | '2_product_category' | '3_global'
  readonly variant: number | null
  readonly template: number | null
  readonly category: number | null
  /** Complete name of the category; longer paths come before the shorter ones that they begin with. */
  readonly categoryName: string
  readonly minQuantity: number
  readonly kind: 'fixed' | 'percentage' | 'formula'
  readonly base: 'list_price' | 'standard_price' | 'pricelist'
  readonly baseList: number | null
  readonly fixed: number
  readonly percent: number
  readonly discount: number
  readonly round: number
  readonly surcharge: number
  readonly minMargin: number
  readonly maxMargin: number
}

/** Product that rules are matched with. */
export interface Target {
  /** A variant, or the only one of a template; null for a template with several. */
  readonly variant: number | null
  readonly template: number
  /** The product's category and all above it. */
  readonly categories: readonly number[]
}

const text = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** The order in which rules are tried: level, larger minimum, category by complete name downwards, newest. */
export function compareRules(a: Rule, b: Rule): number {
  return (
    text(a.level, b.level) ||
    b.minQuantity - a.minQuantity ||
    text(b.categoryName, a.categoryName) ||
    b.id - a.id
  )
}

/** Whether a rule is about a product at all. */
export function concerns(rule: Rule, target: Target): boolean {
  if (rule.level === '0_product_variant') return rule.variant !== null && rule.variant === target.variant
  if (rule.level === '1_product') return rule.template === target.template
  return rule.level === '3_global' || (rule.category !== null && target.categories.includes(rule.category))
}

/** Rules of one list, by what they are about, so that a product meets only those that concern it. */
export class RuleIndex {
  readonly #variants = new Map<number, Rule[]>()
  readonly #templates = new Map<number, Rule[]>()
  readonly #categories = new Map<number, Rule[]>()
  readonly #everything: Rule[] = []
  readonly #merged = new Map<string, readonly Rule[]>()

  constructor(rules: Iterable<Rule>) {
    for (const rule of [...rules].sort(compareRules)) {
      if (rule.level === '0_product_variant') put(this.#variants, rule.variant, rule)
      else if (rule.level === '1_product') put(this.#templates, rule.template, rule)
      else if (rule.level === '2_product_category') put(this.#categories, rule.category, rule)
      else this.#everything.push(rule)
    }
  }

  /**
   * The first rule, in order of precedence, whose minimum quantity is reached; `quantity` in the
   * product's own unit. A minimum of 0 means no minimum.
   */
  find(target: Target, quantity: number): Rule | null {
    const reached = (rule: Rule) => rule.minQuantity === 0 || quantity >= rule.minQuantity
    const levels = [
      target.variant === null ? undefined : this.#variants.get(target.variant),
      this.#templates.get(target.template),
      this.#ofCategories(target.categories),
      this.#everything,
    ]
    for (const rules of levels) {
      const rule = rules?.find(reached)
      if (rule) return rule
    }
    return null
  }

  #ofCategories(categories: readonly number[]): readonly Rule[] {
    const key = categories.join()
    let rules = this.#merged.get(key)
    if (!rules) {
      rules = categories.flatMap((category) => this.#categories.get(category) ?? []).sort(compareRules)
      this.#merged.set(key, rules)
    }
    return rules
  }
}

function put(map: Map<number, Rule[]>, key: number | null, rule: Rule): void {
  if (key === null) return
  const rules = map.get(key)
  if (rules) rules.push(rule)
  else map.set(key, [rule])
}
