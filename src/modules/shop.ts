// Which modules a shop is made of.
import { modules } from './index.ts'

/**
 * Names of the chosen modules and of all of ours that connect them: a module that is no application is part
 * of a shop that has what it needs, as deliveries of sales orders are where sales and stock are. Modules of
 * others come along where they are chosen. Without a choice: all of ours.
 */
export function shopModules(chosen: readonly string[] = []): string[] {
  if (chosen.length === 0) return modules.map(({ name }) => name)
  const names = new Set(chosen)
  for (const { name, depends } of modules.toReversed())
    if (names.has(name)) for (const need of depends) names.add(need)
  for (const { name, depends, application } of modules)
    if (!application && depends.every((need) => names.has(need))) names.add(name)
  return [...names]
}
