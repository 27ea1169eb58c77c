// The watchdog of the recipe for high availability, by Patroni itself: the device is a file, as few machines
// of tests have one.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'

const PYTHON = '/usr/bin/python3'
const skip =
  !existsSync('/usr/bin/patroni') && 'this machine lacks a package (Debian 12: apt-get install patroni)'

/** Begins to lead and stops again, with the settings of the recipe. */
const PROGRAM = `
import json, logging, sys, yaml
from patroni.watchdog.base import Watchdog
recipe, device, mode = yaml.safe_load(open(sys.argv[1])), sys.argv[2], sys.argv[3]
logging.basicConfig(stream=sys.stderr, level=logging.INFO)
settings = recipe['bootstrap']['dcs']
watchdog = Watchdog({**settings, 'watchdog': {**recipe['watchdog'], 'driver': 'testing', 'device': device, 'mode': mode}})
leads = watchdog.activate()
watchdog.keepalive()
watchdog.disable()
print(json.dumps({'leads': leads, 'timeout': watchdog.config.timeout, 'mode': recipe['watchdog']['mode'], **settings}))
`

interface Led {
  readonly leads: boolean
  /** Seconds without Patroni after which the host is reset. */
  readonly timeout: number
  readonly mode: string
  readonly ttl: number
  readonly loop_wait: number
  readonly retry_timeout: number
}

const lead = (device: string, mode: string): Led =>
  JSON.parse(
    execFileSync(PYTHON, ['-c', PROGRAM, join(root, 'deploy/ha/patroni.yml'), device, mode], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )

test('the watchdog resets a hanging leader before another one leads, and none whose etcd is slow', {
  skip,
}, (t) => {
  const temp = makeTemp('watchdog')
  t.after(() => temp.remove())
  const device = join(temp.path, 'watchdog')
  writeFileSync(device, '')
  const { leads, timeout, mode, ttl, loop_wait, retry_timeout } = lead(device, 'required')
  assert.equal(leads, true)
  assert.equal(mode, 'automatic')
  assert.ok(timeout < ttl)
  assert.ok(timeout >= loop_wait + 2 * retry_timeout)
  // The time is set, Patroni says that it is alive, and lets go of the device.
  assert.equal(readFileSync(device, 'utf8'), `Ctimeout=${timeout}\n1V`)
})

test('a host without a watchdog leads by the recipe, and not where one is required', { skip }, (t) => {
  const temp = makeTemp('watchdog')
  t.after(() => temp.remove())
  const device = join(temp.path, 'none')
  assert.equal(lead(device, 'automatic').leads, true)
  assert.equal(lead(device, 'required').leads, false)
})
