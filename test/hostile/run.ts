// The hostile run: attacks on a server of its own, one at a time, each judged by what it does to others and
// to the machine. npm run hostile -- [--only PATTERN] [--every 1] [--size 1] [--contacts 4000] [--seed 1]
// [--patience 2] [--out FILE]     (--every: only each so-manieth; --size: a factor; --out: Markdown of what
// fell) npm run hostile -- --random --minutes 60 --requests 100000 --seed 1     (attacks of any size in any
// order, several at once, of those that --only names; the same process must live)
import { parseArgs } from 'node:util'
import type { Attack } from './attack.ts'
import { attacks } from './families/index.ts'
import { type Figures, fallsOf, NUMBERS, onlyTime } from './numbers.ts'
import { randomRun } from './random-run.ts'
import { lineOf, type Verdict, writeReport } from './report.ts'
import { openSetting, type Setting } from './setting.ts'
import { Range } from './trial.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    every: { type: 'string', default: '1' },
    size: { type: 'string', default: '1' },
    contacts: { type: 'string', default: '4000' },
    seed: { type: 'string', default: '1' },
    patience: { type: 'string', default: '2' },
    out: { type: 'string' },
    random: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '60' },
    requests: { type: 'string', default: '100000' },
  },
})

/** The attack, and again while nothing but time fell: this machine has other users. */
async function judged(range: Range, attack: Attack): Promise<Verdict> {
  let best: Verdict | undefined
  for (let attempt = 0; attempt <= Number(values.patience); attempt++) {
    const size = Math.max(1, Math.round(attack.size * Number(values.size)))
    const figures: Figures = await range.run(attack, {
      size,
      seed: Number(values.seed) + attempt,
      calm: 1000,
      most: 45_000,
      back: 10_000,
    })
    const falls = fallsOf(attack, figures, NUMBERS)
    if (!best || falls.length < best.falls.length) best = { attack, figures, falls }
    if (!onlyTime(falls)) break
  }
  return best as Verdict
}

async function all(setting: Setting): Promise<Verdict[]> {
  const wanted = attacks
    .filter(({ name }) => new RegExp(values.only).test(name))
    .filter((_, at) => at % Number(values.every) === 0)
  const ordered = [...wanted.filter(({ closed }) => !closed), ...wanted.filter(({ closed }) => closed)]
  const range = new Range(setting)
  const verdicts: Verdict[] = []
  let closed = false
  try {
    for (const attack of ordered) {
      const dead = setting.served().isOver()
      if (dead || Boolean(attack.closed) !== closed) await setting.restart(Boolean(attack.closed))
      closed = Boolean(attack.closed)
      const result = await judged(range, attack)
      verdicts.push(result)
      console.log(lineOf(result))
      if (result.figures.events.some((event) => event.includes('died')))
        console.log(setting.served().output().slice(-3000))
      if (values.out) writeReport(values.out, verdicts, ordered.length)
    }
  } finally {
    await range.close()
  }
  return verdicts
}

const setting = await openSetting(Number(values.contacts), true)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await setting.close()
    process.exit(1)
  })
}
try {
  if (values.random) {
    const { minutes, requests, seed } = values
    const falls = await randomRun(setting, {
      only: new RegExp(values.only),
      minutes: Number(minutes),
      requests: Number(requests),
      seed: Number(seed),
    })
    if (falls.length) process.exitCode = 1
  } else {
    const fell = (await all(setting)).filter(({ falls }) => falls.length)
    console.log(fell.length ? `verdict: ${fell.length} attacks made it FALL` : 'verdict: it held')
    if (fell.length) process.exitCode = 1
  }
} finally {
  await setting.close()
}
