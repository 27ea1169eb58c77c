// Names and mail addresses taken apart and put together, as recorded in write/name-create and
// computed/related-and-inverse.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatEmail, mailboxes, parseNameAndEmail, withScheme } from './partner-text.ts'

test('mailboxes are found in any text, in lower case', () => {
  assert.deepEqual(mailboxes('Rel@Example.COM'), ['rel@example.com'])
  assert.deepEqual(mailboxes('A <a@b.co>; c@d.co and nobody'), ['a@b.co', 'c@d.co'])
})

test('the formatted e-mail of a contact quotes its name', () => {
  assert.equal(formatEmail('Rel', 'Rel@Example.COM'), '"Rel" <rel@example.com>')
  assert.equal(formatEmail('Rel 2', 'a@b.co, c@d.co'), '"Rel 2" <a@b.co,c@d.co>')
  assert.equal(formatEmail('A "B"', 'a@b.co'), '"A \\"B\\"" <a@b.co>')
  assert.equal(formatEmail('Odd', 'no mail'), '"Odd" <no mail>')
  assert.equal(formatEmail('None', null), null)
})

test('a name with an email is split', () => {
  assert.deepEqual(parseNameAndEmail('"Nc Two" <two@nc.example>'), {
    name: 'Nc Two',
    email: 'two@nc.example',
  })
  assert.deepEqual(parseNameAndEmail('Nc Two <two@nc.example>'), { name: 'Nc Two', email: 'two@nc.example' })
  assert.deepEqual(parseNameAndEmail('<two@nc.example>'), { name: 'two@nc.example', email: 'two@nc.example' })
  assert.deepEqual(parseNameAndEmail('two@nc.example'), { name: 'two@nc.example', email: 'two@nc.example' })
})

test('other text is a name as it stands', () => {
  for (const name of ['Nc One', '', 'Less < More >', 'Tom (tom at home)'])
    assert.deepEqual(parseNameAndEmail(name), { name, email: null })
})

test('web addresses get a scheme where they have none', () => {
  assert.equal(withScheme('www.rel.example'), 'http://www.rel.example')
  assert.equal(withScheme('https://rel.example/x?y=http://z'), 'https://rel.example/x?y=http://z')
  assert.equal(withScheme(''), '')
})
