// Gauges of what runs full or falls behind: room on the disk, and the archive of an embedded server.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../config/index.ts'
import type { Databases } from '../../databases/index.ts'
import { beginWatching } from './index.ts'

test('metrics: report free and used room on the disk, and by how many seconds the archive lags', async () => {
  const databases = {
    settled: () => [],
    handles: { opened: () => [] },
    clusters: { all: async () => [] },
    disk: async () => ({ free: 100, all: 400 }),
    archive: {},
    backupState: async () => ({ failing: 'writes wait', waitingSeconds: 30, lagSeconds: 90, baseAge: null }),
  } as unknown as Databases
  const config = { metrics: { host: '127.0.0.1', port: 0 }, workers: 1 } as Config
  const watching = await beginWatching(config, databases, 0)
  try {
    const text = await (await fetch(`${watching.metricsUrl}/metrics`)).text()
    for (const line of [
      'comptoir_disk_bytes{state="free"} 100',
      'comptoir_disk_bytes{state="used"} 300',
      'comptoir_backup_failing 1',
      'comptoir_backup_waiting_seconds 30',
      'comptoir_backup_lag_seconds 90',
    ])
      assert.ok(text.includes(line), `${line} in\n${text}`)
  } finally {
    await watching.close()
  }
})
