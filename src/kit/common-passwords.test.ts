// Common passwords: which are refused, and in which spelling.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUncommon } from './common-passwords.ts'

test('common passwords are refused in any spelling, with what to do, and others are not', async () => {
  for (const password of ['password', '123456', 'PassW0rd', ' letmein ', 'admin'])
    await assert.rejects(assertUncommon(password), /Choose another one/, password)
  for (const password of ['', 'x', 'otter cellar violin ninety', 'Zq7-rT2vLm']) await assertUncommon(password)
})
