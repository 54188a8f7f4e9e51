set -eu
secret=$1 header=$2 body=$3
part() { printf '%s' "$header" | tr ',' '\n' | sed -n "s/^ *$1=//p"; }
t=$(part t)
case $t in '' | 0* | *[!0-9]*) echo "not genuine: its time is not one number"; exit 1 ;; esac
expected=$({ printf '%s.' "$t"; cat "$body"; } | openssl dgst -sha256 -hmac "$secret" | sed 's/^.*= *//')
[ "${#expected}" -eq 64 ] || { echo "openssl made no signature"; exit 1; }
case " $(part v1 | tr '\n' ' ') " in *" $expected "*) ;; *) echo "not genuine"; exit 1 ;; esac
age=$(($(date +%s) - t))
[ "${age#-}" -le 300 ] || { echo "signed $age seconds ago"; exit 1; }
echo "genuine"
