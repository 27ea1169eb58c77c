// The recorded conversations, case by case.
import { join } from 'node:path'
import type { Phase } from '../phase.ts'
import { DATABASE, MASTER } from '../side.ts'
import { runVendored } from '../vendored.ts'

const runner = join(import.meta.dirname, '../../conformance/vendor/run.mjs')

export const conversations: Phase = {
  name: 'conversations',
  about: 'the recorded conversations of test/conformance, one request at a time',
  ids: 'exact',
  repeats: false,
  async play(side, { seed, only }) {
    const proxy = await side.recorder.proxy(0)
    try {
      const target = ['--url', proxy.url, '--db', DATABASE, '--master', MASTER]
      const keys = ['--key-command', side.keyCommand]
      await runVendored(runner, [...target, ...keys, ...(only ? ['--only', only.source] : [])], seed)
    } finally {
      await proxy.close()
    }
  },
}
