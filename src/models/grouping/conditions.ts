// Domains as clients get them back: conditions that select one group, joined in prefix form.

/** A domain in prefix form. */
export type DomainList = readonly unknown[]

/** All of them at once: the `&` in front, each condition after them. Nothing is an empty domain. */
export function allOf(domains: readonly DomainList[]): DomainList {
  const terms = domains.flatMap(conjuncts)
  return [...Array<string>(Math.max(0, terms.length - 1)).fill('&'), ...terms.flat(1)]
}

/** The conditions that must all hold, each a domain of its own. */
function conjuncts(domain: DomainList): DomainList[] {
  const terms: DomainList[] = []
  let at = 0
  while (at < domain.length) {
    if (domain[at] === '&') {
      at++
      continue
    }
    const end = endOf(domain, at)
    terms.push(domain.slice(at, end))
    at = end
  }
  return terms
}

/** Where the expression that starts at `at` ends. */
function endOf(domain: DomainList, at: number): number {
  let open = 1
  let position = at
  while (open > 0 && position < domain.length) {
    const item = domain[position++]
    if (item === '!') continue
    open += item === '&' || item === '|' ? 1 : -1
  }
  return position
}

/** The condition on the target of a many2one; `unset` ones include records without a target. */
export function throughMany2one(name: string, domain: DomainList, unset: boolean): DomainList {
  const condition = [name, 'any', domain]
  return unset ? ['|', [name, 'not any', []], condition] : [condition]
}
