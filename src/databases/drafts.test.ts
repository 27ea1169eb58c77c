// Drafts: which of them were left behind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftName, isOldDraft } from './drafts.ts'

test('a draft is old after a day, other databases never are', () => {
  const draft = draftName('restore')
  const day = 24 * 3600_000
  assert.equal(isOldDraft(draft), false)
  assert.equal(isOldDraft(draft, Date.now() + day + 1000), true)
  for (const name of ['shop', '_comptoir_0123456789abcdef', '_comptoir_draft_', 'a_comptoir_draft_x_1_a'])
    assert.equal(isOldDraft(name), false)
})
