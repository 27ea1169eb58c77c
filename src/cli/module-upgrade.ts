// comptoir module upgrade: at once, or step by step while nodes of the build before go on serving.
import { type Command, Option } from 'commander'
import { UserError } from '../errors.ts'
import type { UpgradeStep } from '../services/upgrade.ts'
import { answer } from './answer.ts'
import { withDatabases, withServerFiles } from './databases.ts'
import { withProgress } from './progress.ts'

const STEPS: readonly UpgradeStep[] = ['expand', 'migrate', 'contract']

interface GivenUpgrade {
  readonly database: string
  readonly json?: true
  readonly step?: UpgradeStep
  readonly plan?: true
  readonly force?: true
}

/** The command; `command` makes one that takes a database and the settings. */
export function upgradeCommand(command: (name: string, description: string) => Command): Command {
  return command(
    'upgrade',
    'Upgrade the tables and data of installed modules: at once with the servers stopped, or step by step while they run.',
  )
    .argument('[modules...]', 'modules to upgrade; default: all')
    .addOption(
      new Option(
        '--step <step>',
        'one step for all modules: expand adds tables and columns that the previous build tolerates, migrate fills them, contract drops what no module declares any more',
      ).choices(STEPS),
    )
    .option('--plan', 'show what each step would do, without doing it')
    .option(
      '--force',
      'with --step contract: continue although nodes of another build are running; they are disconnected',
    )
    .action(async (names: string[], options: GivenUpgrade, self: Command) => {
      if (options.plan || options.step) return stepwise(self, names, options)
      if (options.force) throw new UserError('--force is only valid with --step contract.')
      await withServerFiles(self, (databases) =>
        withProgress('Upgrading', async (progress) =>
          (await import('../services/admin.ts')).upgradeModules(databases, options.database, names, {
            progress,
          }),
        ),
      )
      const what = names.length ? names.join(', ') : 'all modules'
      answer(self, `upgraded ${what} in ${options.database}`, { database: options.database, modules: names })
    })
}

/** One step of an upgrade, or a plan of all. */
async function stepwise(self: Command, names: readonly string[], options: GivenUpgrade): Promise<void> {
  const { database, step, force } = options
  if (names.length) throw new UserError('--step upgrades all modules of a database: do not name modules.')
  if (force && step !== 'contract') throw new UserError('--force is only valid with --step contract.')
  const { takeStep, upgradePlan } = await import('../services/upgrade.ts')
  if (options.plan || !step) {
    const plan = await withDatabases(self, (databases) => upgradePlan(databases, database))
    if (options.json) return console.log(JSON.stringify(plan))
    for (const step of STEPS)
      console.log([`${step}:`, ...(plan[step].length ? plan[step] : ['nothing'])].join('\n- '))
    for (const why of plan.impossible) console.log(`not step by step: ${why}`)
    if (plan.waitsFor.length) console.log(`contract waits for: ${plan.waitsFor.join(', ')}`)
    return
  }
  const notes = await withServerFiles(self, (databases) =>
    withProgress(`Upgrading: ${step}`, (progress) =>
      takeStep(databases, database, { step, progress, ...(force ? { force } : {}) }),
    ),
  )
  for (const note of notes) if (!options.json) console.log(note)
  answer(self, `${step} done in ${database}`, { database, step, notes })
}
