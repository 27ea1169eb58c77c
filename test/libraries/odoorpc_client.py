# OdooRPC as its documentation introduces it: databases, login, browsing, writing through records, the registry, sessions kept in a file.
# Run by debian.test.ts with the port, a database, a login, its password and the master password.
import datetime
import sys
import tempfile
import urllib.request

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

# Documented on the pages of ODOO, Environment and Model: settings, keywords, contexts, changes sent together, records as sets.
assert odoo.config == {'auto_commit': True, 'auto_context': True, 'timeout': 120}, odoo.config
assert odoo.execute_kw('res.partner', 'read', [[1]], {'fields': ['name']}) == odoo.execute('res.partner', 'read', [1], ['name'])
assert odoo.execute_kw('res.partner', 'search_count', [[('id', '=', 1)]], {}) == 1
assert odoo.env.db == db and odoo.env.ref('base.lang_en').code == 'en_US'
odoo.env.registry.clear()
assert odoo.env.user.company_id.name and set(odoo.env.registry) >= {'res.users', 'res.company'}
User = odoo.env['res.users']
assert User.search([('id', '=', user.id)]) == [user.id] and User.search([], 0, 1, 'id') and User.search([], limit=1)
assert User.browse(user.id) in User.browse([user.id, 1])
other = User.create({'name': 'Joe', 'login': 'joe@rpc.example'})
joe = User.browse(other)
assert isinstance(joe.create_date, datetime.datetime) and joe.login_date is False and joe.active is True
odoo.config['auto_commit'] = False
joe.name, joe.email, joe.tz = 'Joe B', 'joe@rpc.example', 'Europe/Brussels'
assert joe in odoo.env.dirty and User.read([other], ['name'])[0]['name'] == 'Joe'
odoo.env.commit()
odoo.config['auto_commit'] = True
assert joe not in odoo.env.dirty and User.read(other, ['name', 'tz'])[0] == {'id': other, 'name': 'Joe B', 'tz': 'Europe/Brussels'}
group = odoo.env.ref('base.group_partner_manager')
joe.group_ids += group
assert group.id in User.read([other], ['group_ids'])[0]['group_ids']
joe.group_ids -= group
joe = User.browse(other)
assert group not in joe.group_ids and len(joe.group_ids) == len(joe.group_ids.ids)
odoo.config['auto_context'] = False
assert Partner.with_context(active_test=False).search_count([]) >= Partner.search_count([]) > 0
odoo.config['auto_context'] = True
assert Partner.default_get(['type', 'active', 'lang'])['active'] is True
copy = Partner.copy(1, {'name': 'A copy'})
copy = copy[0] if isinstance(copy, list) else copy
assert Partner.write([copy], {'barcode': 'rpc', 'partner_latitude': 50}) is True
kept = Partner.browse(copy)
kept.comment = 'a note'
assert kept.partner_latitude == 50.0 and 'a note' in kept.comment and kept.parent_id == Partner.browse(1).parent_id
for wrong in (lambda: setattr(kept, 'type', 'nothing of the kind'), lambda: Partner.write([copy], {'type': 'nope'})):
    try:
        wrong()
        raise AssertionError('expected an error')
    except (ValueError, odoorpc.error.RPCError):
        pass
assert Partner.unlink([copy]) is True and Partner.search([('id', '=', copy)]) == []
joe.unlink()

# Connections of other kinds: XML over the same calls, a version that is given, a time limit, an opener of one's own.
told = odoo.json('/web/session/authenticate', {'db': db, 'login': login, 'password': password})['result']
assert told['db'] == db and told['uid'] == user.id and told['username'] == login, told
opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
again = odoorpc.ODOO('127.0.0.1', protocol='jsonrpc', port=int(port), timeout=30, version='19.0', opener=opener)
again.login(db, login=login, password=password)
assert again.env.user.id == user.id and again.execute('res.partner', 'search', []) == odoo.execute('res.partner', 'search', [])

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
backup = odoo.db.dump(master, 'rpc_copy')
assert backup.read()[:2] == b'PK'
backup.seek(0)
odoo.db.restore(master, 'rpc_back', backup)
assert {'rpc_copy', 'rpc_back'} <= set(odoo.db.list())
odoo.db.drop(master, 'rpc_back')
odoo.db.create(master, 'rpc_new', demo=False, lang='en_US', admin_password='its password')
fresh = odoorpc.ODOO('127.0.0.1', port=int(port))
fresh.login('rpc_new', 'admin', 'its password')
assert fresh.env.user.login == 'admin'
odoo.db.drop(master, 'rpc_new')
odoo.db.drop(master, 'rpc_copy')
assert 'rpc_copy' not in odoo.db.list()
assert odoo.logout()
try:
    odoorpc.ODOO('127.0.0.1', port=int(port)).login(db, login, 'wrong')
    raise AssertionError('expected an error')
except odoorpc.error.RPCError:
    pass
print('done')
