# Python's own XML-RPC client, from signing in to removing: run by libraries.test.ts with the server's address, a database, a login and its password.
import datetime
import sys
from xmlrpc.client import Fault, ServerProxy

url, db, login, password = sys.argv[1:]


def fault(call):
    try:
        call()
    except Fault as error:
        return error
    raise AssertionError('expected a fault')


for path, denied in (('/xmlrpc/2/', 3), ('/xmlrpc/', 'AccessDenied')):
    common = ServerProxy(url + path + 'common', allow_none=True)
    models = ServerProxy(url + path + 'object', allow_none=True)
    assert common.version()['server_version_info'] == [19, 0, 0, 'final', 0, '']
    uid = common.authenticate(db, login, password, {})

    def kw(*args):
        return models.execute_kw(db, uid, password, *args)

    name = 'Client é ☃ <&> "q" \t\n end'
    record = kw('res.partner', 'create', [{'name': name.strip(), 'comment': None, 'partner_latitude': 2.0}])
    [row] = kw('res.partner', 'read', [[record], ['name', 'partner_latitude', 'color', 'category_id', 'email', 'create_date']])
    assert row['name'] == name.strip(), row
    assert isinstance(row['partner_latitude'], float) and isinstance(row['color'], int) and row['email'] is False, row
    datetime.datetime.strptime(row['create_date'], '%Y-%m-%d %H:%M:%S')
    since = datetime.datetime(2000, 1, 1)
    assert kw('res.partner', 'search', [[['id', '=', record], ['create_date', '>', since]]]) == [record]
    assert fault(lambda: models.execute_kw(db, uid, 'wrong', 'res.partner', 'read', [[record]])).faultCode == denied
    assert 'cannot marshal None' in fault(lambda: kw('res.partner', 'action_archive', [[record]])).faultString
    assert kw('res.partner', 'search_count', [[['id', '=', record]]]) == 0
    assert kw('res.partner', 'write', [[record], {'name': 'Other'}]) is True
    assert kw('res.partner', 'read', [[record], ['name']])[0]['name'] == 'Other'
    broken = fault(lambda: kw('res.partner', 'write', [[record], {'country_id': 999999}]))
    assert 'does not exist' in (broken.faultString or broken.faultCode), broken
    assert kw('res.partner', 'unlink', [[record]]) is True
    assert db in ServerProxy(url + path + 'db').list()
print('done')
