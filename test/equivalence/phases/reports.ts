// The vendored reproductions of reported problems.
import { join } from 'node:path'
import { REPORTS } from '../../field-reports/run.ts'
import type { Phase } from '../phase.ts'
import { DATABASE } from '../side.ts'
import { runVendored } from '../vendored.ts'

const runner = join(import.meta.dirname, '../../field-reports/vendor/run.mjs')

export const reports: Phase = {
  name: 'reports',
  about: 'the field reports of test/field-reports, one request at a time',
  ids: 'exact',
  repeats: false,
  async play(side, { seed, only }) {
    const proxy = await side.recorder.proxy(0)
    try {
      const names = REPORTS.filter((report) => !only || only.test(report))
      await runVendored(runner, [proxy.url, DATABASE, await side.key('admin'), ...names], seed)
    } finally {
      await proxy.close()
    }
  },
}
