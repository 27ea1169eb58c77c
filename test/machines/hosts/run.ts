// Takes hosts, lines and etcd away from the recipe for high availability under load, and judges writes: how
// long none is acknowledged, and that none is lost. `node test/machines/hosts/run.ts [--only PATTERN]
// [--clients 8]`, as root; prints a report as JSON.
import { parseArgs } from 'node:util'
import { Databases } from '../../../src/databases/index.ts'
import { modules } from '../../../src/main.ts'
import { makeTemp } from '../../support/temp.ts'
import { Load } from '../load.ts'
import { faults } from './faults.ts'
import { enterNetwork, withoutHosts } from './network.ts'
import { Recipe } from './recipe.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    clients: { type: 'string', default: '8' },
  },
})
if (withoutHosts) throw new Error(withoutHosts)
if (enterNetwork()) {
  const temp = makeTemp('recipe')
  const recipe = await Recipe.follow(console.error)
  try {
    const databases = await Databases.open({ databaseUrl: recipe.databaseUrl, dataDir: temp.path, modules })
    await strikeAll(recipe, databases)
    await databases.close()
  } finally {
    await recipe.close()
    temp.remove()
  }
}

async function strikeAll(recipe: Recipe, databases: Databases): Promise<void> {
  const load = new Load([recipe.url], 'shop', await recipe.key())
  load.start(Number(values.clients))
  const seconds: Record<string, number> = {}
  try {
    for (const fault of faults.filter(({ name }) => new RegExp(values.only).test(name))) {
      await recipe.whole()
      await load.more(30)
      load.tally.longestGap = 0
      await fault.strike(recipe, load)
      seconds[fault.name] = Number((load.tally.longestGap / 1000).toFixed(1))
      console.error(`${fault.name}: ${seconds[fault.name]} s without an acknowledged write`)
    }
  } finally {
    await load.stop()
  }
  await recipe.whole()
  const judgement = await load.judge(databases)
  console.log(JSON.stringify({ seconds, ...judgement }, undefined, 2))
  if (judgement.lost + judgement.twice + judgement.undoneButThere > 0) process.exitCode = 1
}
