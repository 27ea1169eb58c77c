# OdooRPC as its documentation introduces it: databases, login, browsing, writing through records, the registry, sessions kept in a file.
# Run by debian.test.ts with the port, a database, a login, its password and the master password.
import sys
import tempfile

import odoorpc

port, db, login, password, master = sys.argv[1:]
odoo = odoorpc.ODOO('127.0.0.1', port=int(port))
assert odoo.version == '19.0', odoo.version
assert db in odoo.db.list()
odoo.login(db, login, password)

user = odoo.env.user
assert user.id == odoo.env.uid and user.name, user
assert user.company_id.name == odoo.env['res.company'].browse(1).name
[row] = odoo.execute('res.users', 'read', [user.id], ['login', 'name'])
assert row['login'] == login, row
assert 'res.partner' in odoo.env and 'no.such.model' not in odoo.env
assert odoo.env.lang == 'en_US' and odoo.env.context['uid'] == user.id

Partner = odoo.env['res.partner']
made = Partner.create({'name': 'OdooRPC', 'child_ids': [(0, 0, {'name': 'One'}), (0, 0, {'name': 'Two'})]})
partner = Partner.browse(made)
assert partner.name == 'OdooRPC' and sorted(child.name for child in partner.child_ids) == ['One', 'Two']
assert Partner.search([('parent_id', '=', made)], order='name') == partner.child_ids.ids
partner.name = 'Renamed'
partner.country_id = odoo.env.ref('base.be')
assert Partner.read(made, ['name'])[0]['name'] == 'Renamed'
assert partner.country_id.code == 'BE'
partner.country_id = False
assert not Partner.browse(made).country_id
partner.category_id += odoo.env['res.partner.category'].browse(odoo.env['res.partner.category'].create({'name': 'RPC'}))
assert [tag.name for tag in Partner.browse(made).category_id] == ['RPC']
assert odoo.env['res.country'].with_context(lang='en_US').search_count([('code', '=', 'BE')]) == 1
for record in Partner.browse(Partner.search([('id', 'in', [made])])):
    assert record.display_name == 'Renamed'
partner.child_ids.unlink()
assert Partner.search_count([('parent_id', '=', made)]) == 0
partner.unlink()

# Reports and modules are listed; a module that is there is installed again, which does nothing.
assert isinstance(odoo.report.list(), dict)
Module = odoo.env['ir.module.module']
[base] = Module.search([('name', '=', 'base')])
Module.button_immediate_install([base])
assert Module.browse(base).state == 'installed'

try:
    odoo.execute('res.partner', 'read', [made], ['no_such_field'])
    raise AssertionError('expected an error')
except odoorpc.error.RPCError as error:
    assert 'no_such_field' in str(error) and error.info['data']['name'], error

# The page of the company's logo, and a call by hand.
assert odoo.http('web/binary/company_logo').read()[:4]
assert odoo.json('/web/webclient/version_info', {})['result']['server_version'] == '19.0'

with tempfile.TemporaryDirectory() as folder:
    odoo.save('kept', rc_file=f'{folder}/rc')
    assert odoorpc.ODOO.list(rc_file=f'{folder}/rc') == ['kept']
    assert odoorpc.ODOO.load('kept', rc_file=f'{folder}/rc').env.user.id == user.id

odoo.db.duplicate(master, db, 'rpc_copy')
assert 'rpc_copy' in odoo.db.list()
assert odoo.db.dump(master, 'rpc_copy').read()[:2] == b'PK'
odoo.db.drop(master, 'rpc_copy')
assert 'rpc_copy' not in odoo.db.list()
assert odoo.logout()
try:
    odoorpc.ODOO('127.0.0.1', port=int(port)).login(db, login, 'wrong')
    raise AssertionError('expected an error')
except odoorpc.error.RPCError:
    pass
print('done')
