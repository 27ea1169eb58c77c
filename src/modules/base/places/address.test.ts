// Addresses on lines, as contacts' documents and display names show them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layOut, unknownPlaces } from './address.ts'

const belgium = {
  code: 'BE',
  name: 'Belgium',
  address_format: '%(street)s\n%(street2)s\n%(zip)s %(city)s\n%(country_name)s',
}
const full = {
  street: '1 Road',
  street2: null,
  zip: '9000',
  city: 'Ghent',
  state_id: null,
  country_id: belgium,
}

test('the country says where the parts stand', () => {
  assert.equal(layOut(full), '1 Road\n\n9000 Ghent\nBelgium')
})

test('a printed address begins with the company', () => {
  assert.equal(layOut(full, 'Dn Co'), 'Dn Co\n1 Road\n\n9000 Ghent\nBelgium')
})

test('without a country the usual layout holds, with the code of the state', () => {
  const address = { ...full, country_id: null, state_id: { code: 'CA', name: 'California' } }
  assert.equal(layOut(address), '1 Road\n\nGhent CA 9000\n')
})

test('unset parts are empty and parts are not read as layout', () => {
  assert.equal(layOut({ ...full, street: '%(zip)s $& \\', city: null }), '%(zip)s $& \\\n\n9000 \nBelgium')
})

test('places that no address has are named', () => {
  assert.deepEqual(unknownPlaces('%(street)s %(planet)s\n%(zip)s'), ['planet'])
})
