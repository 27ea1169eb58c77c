// `npm run equivalence -- --before COMMIT`: starts an earlier commit and the working tree on copies of one
// database, sends both the same, and compares answers, tables and the change feed.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { closeOnSignals } from '../../src/testing/signals.ts'
import { checkoutOf } from '../bench/earlier.ts'
import { root } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'
import type { Finding } from './answers.ts'
import { comparePhase } from './compare.ts'
import { tryFaults } from './faults-run.ts'
import { makeGround } from './ground.ts'
import { openPair } from './pair.ts'
import { phases } from './phases/index.ts'
import { closeSides } from './side.ts'

const help = `npm run equivalence -- --before COMMIT [--after COMMIT] [--only phase,phase] [--cases PATTERN] [--seed N] [--rounds N] [--share S] [--show N] [--ground DIR] [--keep]
  --before   the commit, or a checkout, whose behaviour is right
  --after    the commit or checkout that is compared with it (default: this working tree)
  --only     phases, separated by commas:
${phases.map(({ name, about }) => `               ${name.padEnd(14)} ${about}`).join('\n')}
  --cases    conversations, files of stories, reports and faults by name, such as '^sale/'
  --seed     of random data (default 1)
  --rounds   rounds of phases that repeat: the first is cold, further ones are warm (default 2)
  --share    how much of each phase is played, from 0 to 1 (default 1)
  --show     differences that are printed for each phase (default 1)
  --ground   the data directory to copy; made there by the old commit where it is missing (default: a new one)
  --keep     keeps the data directories and says where they are
  --faults   plants known faults in copies of the tree and says which are found; needs no --before
Exit code 1: something differs.`

const { values: flags } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string', default: root },
    only: { type: 'string' },
    cases: { type: 'string' },
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '2' },
    share: { type: 'string', default: '1' },
    show: { type: 'string', default: '1' },
    ground: { type: 'string' },
    keep: { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

function stop(text: string, code: number): never {
  console.error(text)
  process.exit(code)
}

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(0)} s`

function print(finding: Finding): void {
  console.log(`\nDIFFERENCE: ${finding.what}\nrequest: ${finding.request}\n${finding.detail}\n`)
}

async function main(before: string): Promise<void> {
  const temp = makeTemp('equivalence')
  const trees = { old: checkoutOf(before), new: before === flags.after ? null : checkoutOf(flags.after) }
  const paths = { old: trees.old.path, new: (trees.new ?? trees.old).path }
  const names = flags.only?.split(',') ?? phases.map(({ name }) => name)
  let differing = 0
  const clean = async () => {
    await closeSides()
    trees.old.remove()
    trees.new?.remove()
    if (flags.keep) console.log(`kept: ${temp.path}`)
    else temp.remove()
  }
  const forget = closeOnSignals(clean)
  try {
    let since = performance.now()
    const ground = flags.ground ?? join(temp.path, 'ground')
    if (!existsSync(ground)) await makeGround(paths.old, ground)
    console.log(`database made by the old commit: ${seconds(since)}`)
    for (const [n, phase] of phases.filter(({ name }) => names.includes(name)).entries()) {
      since = performance.now()
      const pair = await openPair(paths, ground, join(temp.path, phase.name))
      try {
        if (n === 0) for (const note of pair.notes) console.log(`schema: ${note}`)
        if (n === 0 && pair.known.size)
          console.log(
            `differences before the first request, left out: ${pair.known.size}, such as ${[...pair.known].slice(0, 3).join('; ')}`,
          )
        const options = {
          seed: Number(flags.seed),
          share: Number(flags.share),
          ...(flags.cases ? { only: new RegExp(flags.cases) } : {}),
        }
        const { requests, findings } = await comparePhase(pair, phase, options, Number(flags.rounds))
        const summary = findings.length ? `${findings.length} differences` : 'no difference'
        console.log(`${phase.name}: ${requests} requests, ${summary}, ${seconds(since)}`)
        for (const finding of findings.slice(0, Number(flags.show))) print(finding)
        differing += findings.length
      } finally {
        await pair.close()
      }
    }
  } finally {
    forget()
    await clean()
  }
  console.log(differing ? `${differing} differences` : 'The sides are equivalent.')
  process.exitCode = differing ? 1 : 0
}

if (flags.help) stop(help, 0)
if (flags.faults) {
  const temp = makeTemp('faults')
  const clean = async () => {
    await closeSides()
    temp.remove()
  }
  const forget = closeOnSignals(clean)
  try {
    process.exitCode = (await tryFaults(temp.path, flags.cases ? new RegExp(flags.cases) : /^/)) ? 1 : 0
  } finally {
    forget()
    await clean()
  }
  process.exit()
}
if (!flags.before) stop(help, 2)
const unknown = flags.only?.split(',').filter((name) => !phases.some((phase) => phase.name === name)) ?? []
if (unknown.length) stop(`unknown phases: ${unknown.join(', ')}\n${help}`, 2)
await main(flags.before)
