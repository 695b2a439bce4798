import numpy as np, math
from numpy.polynomial import chebyshev as C, polynomial as P
L=np.longdouble
def taylor_erf_over_x(z): # z=x^2, longdouble
    s=L(0);t=L(1)
    for n in range(60):
        s+=t/L(2*n+1); t=-t*z/L(n+1)
    return s*L(2)/np.sqrt(L('3.14159265358979323846264338327950288'))
# range 1 in z in [0,1]
def fit(f,a,b,deg):
    n=400
    PI=L('3.14159265358979323846264338327950288'); k=np.arange(n).astype(L); th=PI*(k+L(0.5))/L(n); x=np.cos(th)
    u=(a+b)/L(2)+(b-a)/L(2)*x
    y=np.array([f(v) for v in u],dtype=L)
    c=[ (L(2) if j else L(1))/L(n)*np.sum(y*np.cos(L(j)*th)) for j in range(deg+1)]
    # to monomial in u, longdouble
    T=[np.array([L(1)]),np.array([-(a+b)/(b-a),L(2)/(b-a)])]
    for j in range(2,deg+1):
        p=np.convolve(T[1]*2,T[-1]); q=np.zeros(len(p),dtype=L); q[:len(T[-2])]=T[-2]; T.append(p-q)
    m=np.zeros(deg+1,dtype=L)
    for j in range(deg+1): m[:j+1]+=c[j]*T[j]
    return m
m=fit(taylor_erf_over_x,L(0),L(1),13)
print("small",[float(v) for v in m])
x=np.linspace(1e-3,1,20001)
z=x*x; p=np.zeros_like(x)
for c in m[::-1]: p=p*z+float(c)
ref=np.array([math.erf(v) for v in x]); print(np.max(np.abs(p*x-ref)/ref)/2.2e-16)
# range 2: erfcx(x) by t=(x-a)/(x+a)... in x in [1,6]
def erfcx(x):
    x=L(x)
    if x<2.5: # erfc by series: 1-erf
        return (L(1)-x*taylor_erf_over_x(x*x))*np.exp(x*x)
    f=L(0)   # continued fraction
    for n in range(200,0,-1): f=L(n)/2/(x+f)
    return 1/np.sqrt(L('3.14159265358979323846264338327950288'))/(x+f)
a0=L(3.0)
g=lambda t: erfcx(a0*(1+t)/(1-t))*(1+0*t)
lo=(L(1)-a0)/(L(1)+a0); hi=(L(6)-a0)/(L(6)+a0)
for d in (12,14,16):
    m2=fit(g,lo,hi,d)
    x=np.linspace(1,6,20001); t=(x-3)/(x+3); p=np.zeros_like(x)
    for c in m2[::-1]: p=p*t+float(c)
    e=1-np.exp(-x*x)*p
    ref=np.array([math.erf(v) for v in x]); print(d,np.max(np.abs(e-ref)/ref)/2.2e-16)
print("large",[float(v) for v in fit(g,lo,hi,14)])
